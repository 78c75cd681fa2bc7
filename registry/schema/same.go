package schema

import (
	"reflect"
	"slices"
)

// notCompared returns why not for a keyword of the input that Within does not compare and the output does not have in the same form.
func (w *withinSearch) notCompared(out map[string]any, in inputNode, path string, depth int) string {
	into := in.object()
	for _, keyword := range others(typesOf(out)) {
		if into[keyword] == nil || needless(keyword, into) || w.promised(keyword, out, into) {
			continue
		}
		if keyword != "not" || !w.apart(out, in.child(into[keyword], keyword), depth+1) {
			return no(path, "the input uses %s, which is not compared", keyword)
		}
	}
	return ""
}

// needless reports whether a keyword need not be promised: it restricts nothing, as some generators write it, or is compared as closing says.
func needless(keyword string, schema map[string]any) bool {
	switch keyword {
	case "uniqueItems":
		return schema[keyword] == false
	case "unevaluatedProperties":
		_, compared := closing(schema)
		return compared == keyword || takesAll(schema[keyword])
	case "unevaluatedItems":
		return takesAll(schema[keyword])
	case "propertyNames": // names are texts
		names := parts(schema[keyword])
		return schema[keyword] == true || names != nil && slices.Contains(typesOf(names), "string") && takesAll(without(names, "type"))
	case "if":
		return schema["then"] == nil && schema["else"] == nil
	case "then", "else":
		return schema["if"] == nil
	case "minContains", "maxContains":
		return schema["contains"] == nil
	default:
		return false
	}
}

// takesAll reports whether a schema says nothing about values.
func takesAll(said any) bool {
	keywords, ok := said.(map[string]any)
	return said == true || ok && len(constraints(keywords)) == 0
}

// promised reports whether both sides say the same in a keyword that is not compared.
func (w *withinSearch) promised(keyword string, out, in map[string]any) bool {
	switch keyword {
	case "$dynamicRef", "$recursiveRef": // these may refer to anything
		return false
	case "unevaluatedProperties", "unevaluatedItems": // these depend on all other keywords
		return out[leftOut] == nil && w.same(constraints(out), constraints(in))
	case "contains":
		return w.same(out[keyword], in[keyword]) && reflect.DeepEqual(out["minContains"], w.input.understood(in)["minContains"])
	}
	return w.same(out[keyword], in[keyword])
}

// same reports whether both sides say the same: they are the same JSON, and schemas in it are of the same draft.
func (w *withinSearch) same(out, in any) bool {
	return (w.output.draft == w.input.draft || size(in) == 1) && w.equal(out, in) && w.sameTargets(in, make(map[string]bool))
}

// sameTargets reports whether equal references on both sides refer to the same schemas. Those in seen were checked already.
func (w *withinSearch) sameTargets(said any, seen map[string]bool) bool {
	switch said := said.(type) {
	case []any:
		return !slices.ContainsFunc(said, func(part any) bool { return !w.sameTargets(part, seen) })
	case map[string]any:
		for _, key := range sortedKeys(said) { // in an order, or the same pair may be too complex only at times
			part := said[key]
			ref, isText := part.(string)
			switch {
			case key == "$dynamicRef", key == "$recursiveRef":
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
