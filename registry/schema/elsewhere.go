package schema

import "slices"

// elsewhere returns the properties that the output may have through keywords under which its schema says more of the same object, depending on
// the value, as in then. If those may be any properties, known is false.
func (w *withinSearch) elsewhere(out map[string]any) (names []string, known bool) {
	if more := out["additionalProperties"]; more != nil && more != true { // it applies to all of them
		return nil, true
	}
	var parts []any
	for _, keyword := range []string{"anyOf", "oneOf", "if", "then", "else", leftOut} {
		if said := out[keyword]; said != nil {
			parts = append(parts, said)
		}
	}
	for _, keyword := range []string{"dependentSchemas", "dependentRequired", "dependencies"} {
		parts = append(parts, inside(out[keyword])...)
	}
	names, known = w.declaredIn(parts)
	return names, known && !hasAny(out, []string{"$dynamicRef", "$recursiveRef"})
}

// declaredIn is declared for each of parts.
func (w *withinSearch) declaredIn(parts []any) (names []string, known bool) {
	known = true
	for _, said := range parts {
		more, ok := w.declared(said)
		names, known = append(names, more...), known && ok
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
	schema, ok := said.(map[string]any)
	if !ok {
		return w.declaredIn(list(said))
	}
	names, known = w.elsewhere(schema)
	more, ok := w.declaredIn(list(schema["allOf"]))
	_, additional := schema["additionalProperties"].(map[string]any)
	known = known && ok && !additional && !hasAny(schema, []string{"$ref", "patternProperties", "unevaluatedProperties"})
	properties, _ := schema["properties"].(map[string]any)
	return slices.Concat(names, sortedKeys(properties), texts(schema["required"]), more), known
}
