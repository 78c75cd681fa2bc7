package jsonpath

import (
	"regexp"
	"regexp/syntax"
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
	pattern   *pattern // of match and search when it is a literal
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
	p := c.pattern
	if p == nil {
		source, _ := c.arguments[1].value(e, current)
		text, ok := source.(string)
		if !ok {
			return false
		}
		e.left -= len(text)
		if p = compile(c.name, text); p == nil {
			return false
		}
		e.left -= p.steps
	}
	e.left -= len(text) * p.steps / stepsPerVisit
	return e.visit() && p.MatchString(text)
}

// pattern is a regular expression, and the steps that a byte of text may take to match.
type pattern struct {
	*regexp.Regexp

	steps int
}

// stepsPerVisit is how many steps of a pattern take as long as a visit. Matching cannot be stopped, so that it is paid for before.
const stepsPerVisit = 256

// maxPattern bounds a regular expression, in bytes.
const maxPattern = 1000

// compile returns the I-Regexp (RFC 9485) as one of Go's, or nil when it is none.
func compile(function, source string) *pattern {
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
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil
	}
	return &pattern{compiled, len(program.Inst)}
}
