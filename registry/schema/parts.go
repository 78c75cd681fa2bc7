package schema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// comparedKeywords are the keywords that Within understands.
var comparedKeywords = []string{
	"type", "enum", "const", "properties", "required", "additionalProperties", "items", "prefixItems",
	"minItems", "maxItems", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"multipleOf", "allOf", "anyOf", "oneOf", "minProperties", "maxProperties", "additionalItems",
}

// otherKeywords are keywords that restrict values, too, and that Within does not understand, by the type of values that they are about. All that are in
// neither list, such as title, example or discriminator, say nothing about which values are valid.
var otherKeywords = map[string][]string{
	"":      {"not", "if", "then", "else", "$dynamicRef", "$recursiveRef"}, // about all types
	"array": {"contains", "minContains", "maxContains", "uniqueItems", "unevaluatedItems"},
	"object": {
		"propertyNames", "patternProperties", "unevaluatedProperties",
		"dependentRequired", "dependentSchemas", "dependencies",
	},
}

// others returns the keywords that Within does not understand and that are about values of some types.
func others(types []string) []string {
	keywords := otherKeywords[""]
	for _, one := range types {
		keywords = slices.Concat(keywords, otherKeywords[one])
	}
	return keywords
}

var allTypes = []string{"null", "boolean", "object", "array", "number", "string"}

var everyOther = others(allTypes)

// constraints returns the schema with only the keywords that restrict values.
func constraints(schema map[string]any) map[string]any {
	some := make(map[string]any, len(schema))
	for keyword, said := range schema {
		if keyword == "$ref" || slices.Contains(comparedKeywords, keyword) || slices.Contains(everyOther, keyword) {
			some[keyword] = said
		}
	}
	return some
}

func without(schema map[string]any, keywords ...string) map[string]any {
	rest := maps.Clone(schema)
	for _, keyword := range keywords {
		delete(rest, keyword)
	}
	return rest
}

// typesOf returns the types that a schema allows.
func typesOf(schema map[string]any) []string {
	switch t := schema["type"].(type) {
	case string:
		return []string{t}
	case []any:
		return texts(t)
	default:
		return allTypes
	}
}

// enumOf returns the values that a schema allows, if it lists them.
func enumOf(schema map[string]any) ([]any, bool) {
	if value, ok := schema["const"]; ok {
		return []any{value}, true
	}
	values, ok := schema["enum"].([]any)
	return values, ok
}

// fewValues returns the values of the types that a schema allows, if these types have few.
func fewValues(schema map[string]any) (values []any, ok bool) {
	for _, one := range typesOf(schema) {
		switch one {
		case "null":
			values = append(values, nil)
		case "boolean":
			values = append(values, true, false)
		default:
			return nil, false
		}
	}
	return values, true
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func texts(v any) (out []string) {
	for _, e := range list(v) {
		if text, ok := e.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

func indexes(l []any) []int {
	out := make([]int, len(l))
	for i := range out {
		out[i] = i
	}
	return out
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func dot(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func article(typ string) string {
	switch typ {
	case "null":
		return typ
	case "object", "array", "integer":
		return "an " + typ
	default:
		return "a " + typ
	}
}

// lookUp returns what a reference within root refers to, and its JSON pointer.
func lookUp(root map[string]any, ref string) (schema any, pointer string, ok bool) {
	escaped, local := strings.CutPrefix(ref, "#")
	fragment, err := url.PathUnescape(escaped)
	if !local || err != nil {
		return nil, "", false
	}
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		return anchor(root, fragment, "", 0)
	}
	var at any = root
	for _, part := range strings.Split(fragment, "/")[1:] {
		key := unescapePointer.Replace(part)
		switch v := at.(type) {
		case map[string]any:
			at, ok = v[key]
		case []any:
			i, err := strconv.Atoi(key)
			if ok = err == nil && i >= 0 && i < len(v); ok {
				at = v[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, "", false
		}
	}
	switch at.(type) {
	case map[string]any, bool:
		return at, fragment, true
	}
	return nil, "", false
}

// anchor finds the schema with the given $anchor.
func anchor(at any, name, pointer string, depth int) (schema any, found string, ok bool) {
	if depth > withinDepth {
		return nil, "", false
	}
	switch v := at.(type) {
	case map[string]any:
		if v["$anchor"] == name {
			return v, pointer, true
		}
		for _, key := range sortedKeys(v) {
			if slices.Contains(valueKeywords, key) {
				continue
			}
			child := inputNode{pointer: pointer}.child(nil, key).pointer
			if schema, found, ok = anchor(v[key], name, child, depth+1); ok {
				return schema, found, true
			}
		}
	case []any:
		for i := range v {
			if schema, found, ok = anchor(v[i], name, pointer+"/"+strconv.Itoa(i), depth+1); ok {
				return schema, found, true
			}
		}
	}
	return nil, "", false
}
