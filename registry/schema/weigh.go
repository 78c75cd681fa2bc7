package schema

import (
	"maps"
	"slices"
)

// weigh takes the work of validating a value against a part of the input, including each alternative and reference, from the budget, and reports
// whether there was enough left. It refuses schemas that it cannot follow.
func (w *withinSearch) weigh(schema, value any, depth int) bool {
	keywords, _ := schema.(map[string]any) // a boolean has none, nor a list of names
	if !w.spend(1+width(schema)+width(value)/16) || depth > withinDepth {
		return false
	}
	for keyword, said := range keywords {
		if !w.weighKeyword(keyword, said, value, depth+1) {
			return false
		}
	}
	return true
}

func (w *withinSearch) weighKeyword(keyword string, said, value any, depth int) bool {
	switch keyword {
	case "$ref":
		ref, _ := said.(string)
		target, _, ok := w.look(w.input, ref)
		return ok && w.weigh(target, value, depth)
	case "$dynamicRef", "$recursiveRef":
		return false
	case "enum", "const":
		return w.spend(1 + size(said)/8)
	case "required", "dependentRequired":
		return w.spend(size(said) / 8)
	case "uniqueItems":
		return w.spend(width(value) * size(value))
	case "pattern", "format", "minLength", "maxLength":
		return w.weighText(keyword, said, value)
	case "allOf", "anyOf", "oneOf":
		return w.weighAll(list(said), value, depth)
	case "not", "if", "then", "else":
		return w.weigh(said, value, depth)
	case "dependentSchemas", "dependencies":
		return w.weighAll(slices.Collect(maps.Values(parts(said))), value, depth)
	case "propertyNames":
		object, _ := value.(map[string]any)
		for name := range object {
			if !w.weigh(said, name, depth) {
				return false
			}
		}
	case "properties", "patternProperties", "prefixItems", "items", "additionalItems", "additionalProperties", "contains", "unevaluatedItems", "unevaluatedProperties":
		return w.weighWithin(keyword, said, value, depth)
	}
	return true
}

func (w *withinSearch) weighAll(schemas []any, value any, depth int) bool {
	for _, schema := range schemas {
		if !w.weigh(schema, value, depth) {
			return false
		}
	}
	return true
}

// weighWithin takes the work that a keyword causes for the parts of a value from the budget. It assumes that each of the keyword's schemas applies to
// each part, except for properties by name.
func (w *withinSearch) weighWithin(keyword string, said, value any, depth int) bool {
	object, _ := value.(map[string]any)
	if keyword == "properties" {
		if !w.spend(width(said) / 8) {
			return false
		}
		for name, schema := range parts(said) {
			if inner, ok := object[name]; ok && !w.weigh(schema, inner, depth) {
				return false
			}
		}
		return true
	}
	var schemas []any
	switch keyword {
	case "patternProperties":
		for pattern, schema := range parts(said) {
			for name := range object {
				if !w.weighPattern(pattern, name) {
					return false
				}
			}
			schemas = append(schemas, schema)
		}
	default:
		if schemas = list(said); schemas == nil {
			schemas = []any{said}
		}
	}
	for _, inner := range inside(value) {
		if !w.weighAll(schemas, inner, depth) {
			return false
		}
	}
	return true
}

func (w *withinSearch) weighPattern(pattern, text any) bool {
	p, _ := pattern.(string)
	t, _ := text.(string)
	return w.spend(1 + max(len(p), w.patternSteps(p))*len(t)/16)
}

// weighText takes the work that a keyword about strings causes for a value from the budget.
func (w *withinSearch) weighText(keyword string, said, value any) bool {
	text, _ := value.(string)
	switch {
	case keyword == "pattern":
		return w.weighPattern(said, value)
	case said == "regex": // the text is compiled, by drafts before 2019-09
		return w.spend(len(text)) && w.spend(w.patternSteps(text))
	default: // its characters are counted or read
		return w.spend(len(text) / 16)
	}
}

// patternSteps is PatternSteps, once for each pattern: a schema may apply one to many texts.
func (w *withinSearch) patternSteps(pattern string) int {
	n, known := w.matching[pattern]
	if !known {
		if w.matching == nil {
			w.matching = make(map[string]int)
		}
		n = PatternSteps(pattern)
		w.matching[pattern] = n
	}
	return n
}
