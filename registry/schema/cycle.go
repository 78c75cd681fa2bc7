package schema

import (
	"encoding/json"
	"slices"
)

// pair is an output's schema, as JSON, and the place of an input's. The schema there may be without one of its keywords, so their number counts too.
type pair struct {
	out, in  string
	keywords int
}

// enter notes that a pair is being compared until leave is called. It reports that the pair fits if it is being compared already, for a value around
// this one: references lead in a cycle then, and what does not fit is found on the way round. A cycle in which the value stays the same describes nothing,
// and goes on until the budget is used up.
func (w *withinSearch) enter(out map[string]any, in inputNode, path string) (fits bool, leave func()) {
	leave = func() {}
	if !refers(out) {
		return false, leave
	}
	encoded, err := json.Marshal(out)
	if err != nil || !w.spend(len(encoded)/16) {
		return false, leave
	}
	key := pair{string(encoded), in.pointer, len(in.object())}
	around, open := w.open[key]
	if !open {
		w.open[key] = len(path)
		leave = func() { delete(w.open, key) }
	}
	return open && around < len(path), leave
}

// refers reports whether a schema refers to another one for the same value.
func refers(schema any) bool {
	keywords, _ := schema.(map[string]any)
	return keywords["$ref"] != nil || slices.ContainsFunc([]string{"allOf", "anyOf", "oneOf"}, func(keyword string) bool {
		return slices.ContainsFunc(list(keywords[keyword]), refers)
	})
}
