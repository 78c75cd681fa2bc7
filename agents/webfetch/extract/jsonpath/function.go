package jsonpath

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// kind is a type of the RFC's section 2.4.1.
type kind int

const (
	valueType kind = iota
	logicalType
	nodesType
)

// signatures are the functions of the RFC, each with the types of its parameters and of its result.
var signatures = map[string]struct {
	parameters []kind
	result     kind
}{
	"length": {[]kind{valueType}, valueType},
	"count":  {[]kind{nodesType}, valueType},
	"match":  {[]kind{valueType, valueType}, logicalType},
	"search": {[]kind{valueType, valueType}, logicalType},
	"value":  {[]kind{nodesType}, valueType},
}

// call is a function with its arguments: operands, or queries where the parameter takes nodes.
type call struct {
	name      string
	arguments []operand
	pattern   *regexp.Regexp // of match and search when it is a literal
}

func (c call) value(e *evaluation, current any) (any, bool) {
	if !e.visit() {
		return nil, false
	}
	switch c.name {
	case "count":
		return float64(len(c.nodes(e, current))), true
	case "value":
		if nodes := c.nodes(e, current); len(nodes) == 1 {
			return nodes[0], true
		}
	case "length":
		argument, _ := c.arguments[0].value(e, current)
		switch v := argument.(type) {
		case string:
			return float64(utf8.RuneCountInString(v)), true
		case []any:
			return float64(len(v)), true
		case map[string]any:
			return float64(len(v)), true
		}
	}
	return nil, false
}

func (c call) nodes(e *evaluation, current any) []any {
	if q, ok := c.arguments[0].(queryExpr); ok {
		return q.nodes(e, current)
	}
	return nil
}

func (c call) holds(e *evaluation, current any) bool {
	if !e.visit() {
		return false
	}
	subject, _ := c.arguments[0].value(e, current)
	text, ok := subject.(string)
	if !ok {
		return false
	}
	e.left -= len(text) / 16
	pattern := c.pattern
	if pattern == nil {
		source, _ := c.arguments[1].value(e, current)
		text, ok := source.(string)
		if !ok {
			return false
		}
		e.left -= len(text)
		if pattern = compile(c.name, text); pattern == nil {
			return false
		}
	}
	return pattern.MatchString(text)
}

// maxPattern bounds a regular expression, in bytes.
const maxPattern = 1000

// compile returns the I-Regexp (RFC 9485) as one of Go's, or nil when it is none.
func compile(function, source string) *regexp.Regexp {
	if len(source) > maxPattern {
		return nil
	}
	var out strings.Builder
	class, escaped := false, false
	for _, r := range source {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '[':
			class = true
		case r == ']':
			class = false
		case r == '.' && !class:
			out.WriteString(`[^\n\r]`)
			continue
		}
		out.WriteRune(r)
	}
	text := out.String()
	if function == "match" {
		text = `\A(?:` + text + `)\z`
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	return pattern
}
