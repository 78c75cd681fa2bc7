package registry

import (
	"reflect"
	"slices"
)

// notCompared names a keyword of the input that is not compared, unless the output promises the very same.
func (w *withinSearch) notCompared(out, in map[string]any, path string) string {
	for keyword := range constraints(in) {
		_, old := in[keyword].([]any)
		old = old && keyword == "items" // as drafts before 2020-12 write a tuple
		if (old || !slices.Contains(comparedKeywords, keyword)) && !w.promised(keyword, out, in) {
			return no(path, "the input uses %s, which is not compared", clip(keyword))
		}
	}
	return ""
}

// promised reports whether a keyword that is not compared says the same on both sides.
func (w *withinSearch) promised(keyword string, out, in map[string]any) bool {
	switch keyword {
	case "unevaluatedProperties", "unevaluatedItems": // about what all other keywords leave
		return w.same(out, in)
	case "contains":
		return w.same(out[keyword], in[keyword]) && reflect.DeepEqual(out["minContains"], in["minContains"])
	}
	return w.same(out[keyword], in[keyword])
}

// same reports whether both sides say the same in the same words.
func (w *withinSearch) same(out, in any) bool {
	return w.equal(out, in) && w.sameTargets(in, make(map[string]bool))
}

// sameTargets reports whether the references in what both sides say lead to the same. Those in seen are looked at already.
func (w *withinSearch) sameTargets(said any, seen map[string]bool) bool {
	switch said := said.(type) {
	case []any:
		return !slices.ContainsFunc(said, func(part any) bool { return !w.sameTargets(part, seen) })
	case map[string]any:
		for key, part := range said {
			ref, isText := part.(string)
			switch {
			case key == "$dynamicRef":
				return false
			case key != "$ref" || !isText:
				if !w.sameTargets(part, seen) {
					return false
				}
			case !seen[ref]:
				seen[ref] = true
				if !w.sameTarget(ref, seen) {
					return false
				}
			}
		}
	}
	return true
}

func (w *withinSearch) sameTarget(ref string, seen map[string]bool) bool {
	out, _, okOut := w.look(w.output, ref)
	in, _, okIn := w.look(w.input, ref)
	return okOut && okIn && w.equal(out, in) && w.sameTargets(in, seen)
}

func (w *withinSearch) equal(out, in any) bool {
	return w.spend(size(in)) && reflect.DeepEqual(out, in)
}
