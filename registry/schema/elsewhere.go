package schema

// elsewhere returns the properties that the output may have through keywords under which its schema says more of the same object, depending on
// the value, as in then. If those may be any properties, known is false.
func (w *withinSearch) elsewhere(out map[string]any) (names []string, known bool) {
	if more := out["additionalProperties"]; more != nil && more != true { // it applies to all of them
		return nil, true
	}
	known = !hasAny(out, []string{"$dynamicRef", "$recursiveRef"})
	for _, keyword := range []string{"anyOf", "oneOf", "if", "then", "else"} {
		if said := out[keyword]; said != nil {
			more, ok := w.declared(said)
			names, known = append(names, more...), known && ok
		}
	}
	for _, keyword := range []string{"dependentSchemas", "dependentRequired", "dependencies"} {
		for _, said := range inside(out[keyword]) {
			more, ok := w.declared(said)
			names, known = append(names, more...), known && ok
		}
	}
	return names, known
}

// declared returns the properties that a schema, or a list of schemas or names, declares, like elsewhere.
func (w *withinSearch) declared(said any) (names []string, known bool) {
	if !w.spend(1 + width(said)) {
		return nil, false
	}
	if name, ok := said.(string); ok {
		return []string{name}, true
	}
	known = true
	parts := list(said)
	if schema, ok := said.(map[string]any); ok {
		names, known = w.elsewhere(schema)
		_, additional := schema["additionalProperties"].(map[string]any)
		known = known && !additional && !hasAny(schema, []string{"$ref", "patternProperties", "unevaluatedProperties"})
		properties, _ := schema["properties"].(map[string]any)
		names = append(append(names, sortedKeys(properties)...), texts(schema["required"])...)
		parts = list(schema["allOf"])
	}
	for _, part := range parts {
		more, ok := w.declared(part)
		names, known = append(names, more...), known && ok
	}
	return names, known
}
