package schema

import (
	"regexp"
	"slices"
)

func (w *withinSearch) objectWithin(out map[string]any, in inputNode, path string, depth int) string {
	into := in.object()
	inProperties, _ := into["properties"].(map[string]any)
	if !w.spend(len(inProperties) + width(out["properties"]) + width(out["required"]) + width(into["required"])) {
		return no(path, tooComplex)
	}
	promised := make(map[string]bool)
	for _, name := range texts(out["required"]) {
		promised[name] = true
	}
	if why := countWithin(out, into, len(promised), path); why != "" {
		return why
	}
	for _, name := range texts(into["required"]) {
		if !promised[name] {
			return no(dot(path, name), "the input needs it, and the output does not always have it")
		}
	}
	for _, name := range sortedKeys(inProperties) {
		got, declared := w.property(out, name)
		if !declared {
			continue // the property counts as absent
		}
		if why := w.within(outputNode{got}, in.child(inProperties[name], "properties", name), dot(path, name), depth+1); why != "" {
			return why
		}
	}
	return w.additional(out, in, path, depth)
}

// countWithin compares how many properties there are. The output always has some.
func countWithin(out, in map[string]any, some int, path string) string {
	least, _ := out["minProperties"].(float64)
	out = map[string]any{"minProperties": max(least, float64(some)), "maxProperties": out["maxProperties"]}
	return boundsWithin("minProperties", "maxProperties", out, in, path)
}

// property returns the output's schema for a property. If the output does not declare it, declared is false.
func (w *withinSearch) property(out map[string]any, name string) (schema any, declared bool) {
	properties, _ := out["properties"].(map[string]any)
	var all []any
	if schema, declared = properties[name]; declared {
		all = append(all, schema)
	}
	patterns, _ := out["patternProperties"].(map[string]any)
	for _, pattern := range sortedKeys(patterns) {
		fits, known := w.matches(pattern, name)
		if !known {
			return true, true
		}
		if fits {
			all = append(all, patterns[pattern])
		}
	}
	if len(all) == 1 {
		return all[0], true
	}
	if len(all) > 1 {
		return map[string]any{"allOf": all}, true
	}
	if more, ok := out["additionalProperties"].(map[string]any); ok {
		return more, true
	}
	if names, known := w.elsewhere(out); !known || slices.Contains(names, name) {
		return true, true
	}
	if more, ok := unevaluated(out); ok {
		return more, true
	}
	return true, slices.Contains(texts(out["required"]), name)
}

// unevaluated returns the output's schema for properties that nothing in it describes, if it declares any.
func unevaluated(out map[string]any) (schema map[string]any, ok bool) {
	schema, ok = out["unevaluatedProperties"].(map[string]any)
	if out["additionalProperties"] == true { // all are evaluated
		schema = map[string]any{}
	}
	return schema, ok && out["additionalProperties"] != false
}

// matches reports whether a name matches a pattern. If the pattern cannot be evaluated, known is false.
func (w *withinSearch) matches(pattern, name string) (fits, known bool) {
	if w.steps++; w.steps > withinSteps || !w.spend(1+len(pattern)*len(name)/16) {
		return false, false
	}
	expression, seen := w.patterns[pattern]
	if !seen {
		expression, _ = regexp.Compile(pattern) // nil for a pattern that only other engines understand
		if w.patterns == nil {
			w.patterns = make(map[string]*regexp.Regexp)
		}
		w.patterns[pattern] = expression
	}
	return expression != nil && expression.MatchString(name), expression != nil
}

// additional compares the properties that the output has and the input does not name.
func (w *withinSearch) additional(out map[string]any, in inputNode, path string, depth int) string {
	into := in.object()
	rest, keyword := closing(into)
	if rest == nil || rest == true {
		return ""
	}
	outProperties, _ := out["properties"].(map[string]any)
	inProperties, _ := into["properties"].(map[string]any)
	perhaps, known := w.elsewhere(out)
	for _, name := range slices.Concat(sortedKeys(outProperties), texts(out["required"]), perhaps) {
		if _, named := inProperties[name]; named {
			continue
		}
		got, _ := w.property(out, name)
		if rest == false && got != false {
			return no(dot(path, name), "the input takes no such property")
		}
		if why := w.within(outputNode{got}, in.child(rest, keyword), dot(path, name), depth+1); why != "" {
			return why
		}
	}
	unnamed := unnamed(out, into)
	if !known {
		unnamed = append(unnamed, true)
	}
	for _, got := range unnamed {
		if rest == false && got != false {
			return no(path, "the input takes no additional properties")
		}
		if why := w.within(outputNode{got}, in.child(rest, keyword), dot(path, "*"), depth+1); why != "" {
			return why
		}
	}
	return ""
}

// closing returns what a schema says about properties that it does not describe, and by which keyword. unevaluatedProperties is the same as
// additionalProperties where nothing else describes the object.
func closing(schema map[string]any) (rest any, keyword string) {
	alone := !hasAny(schema, []string{"additionalProperties", "patternProperties", "dependentSchemas", "$ref", "allOf", "anyOf", "oneOf", "if", "$dynamicRef", "$recursiveRef"})
	if alone && schema["unevaluatedProperties"] != nil {
		return schema["unevaluatedProperties"], "unevaluatedProperties"
	}
	return schema["additionalProperties"], "additionalProperties"
}

// unnamed returns the output's schemas for properties that it does not name: those of its patterns, unless the input has patterns too, and that of all
// others.
func unnamed(out, into map[string]any) (schemas []any) {
	if into["patternProperties"] == nil {
		patterns, _ := out["patternProperties"].(map[string]any)
		for _, pattern := range sortedKeys(patterns) {
			schemas = append(schemas, patterns[pattern])
		}
	}
	if more, ok := out["additionalProperties"].(map[string]any); ok {
		schemas = append(schemas, more)
	}
	if more, ok := unevaluated(out); ok {
		schemas = append(schemas, more)
	}
	return schemas
}
