package schema

import (
	"maps"
	"slices"
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

func parts(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
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

// inside returns the values in an object, in the order of their names, or in a list.
func inside(value any) []any {
	if object, ok := value.(map[string]any); ok {
		values := make([]any, 0, len(object))
		for _, name := range sortedKeys(object) {
			values = append(values, object[name])
		}
		return values
	}
	return list(value)
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
