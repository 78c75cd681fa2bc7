package schema

// withinWork bounds the work of one comparison, in entries of objects and lists that are merged, compared or searched.
const withinWork = 500_000

const tooComplex = "the schemas are too complex to compare"

// spend takes size from the budget and reports whether there was enough left.
func (w *withinSearch) spend(size int) bool {
	w.work += size
	return w.work <= withinWork
}

// step takes one comparison of two schemas from the budget and reports whether it may be made.
func (w *withinSearch) step(out, in any, depth int) bool {
	w.steps++
	return w.spend(1+width(out)+width(in)) && w.steps <= withinSteps && depth <= withinDepth
}

// width returns the number of entries of v itself.
func width(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	return 0
}

// size returns the number of values in v, including v itself.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, part := range v {
			n += size(part)
		}
	case []any:
		for _, part := range v {
			n += size(part)
		}
	}
	return n
}

// merge calls the function merge within the budget; ok is false when there is not enough left.
func (w *withinSearch) merge(a, b map[string]any) (joined map[string]any, ok bool) {
	cost := 1 + len(a) + len(b) + width(a["enum"])*size(b["enum"])/4
	for _, keyword := range []string{"required", "allOf", "anyOf", "oneOf", "properties", "patternProperties", leftOut} {
		cost += width(a[keyword]) + width(b[keyword])
	}
	if !w.spend(cost) {
		return nil, false
	}
	return merge(a, b), true
}
