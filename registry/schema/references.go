package schema

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

const withinHops = 32 // references that lead to references

// resolveInput follows references of the input, but not those with keywords beside them that hold too.
func (w *withinSearch) resolveInput(in inputNode, path string) (inputNode, string) {
	for range withinHops {
		ref, ok := in.object()["$ref"].(string)
		if !ok || len(constraints(in.object())) > 1 && !w.input.refAlone() {
			return in, ""
		}
		if value, ok := in.object()["const"]; ok { // which our validator does not ignore
			return inputNode{map[string]any{"$ref": ref, "const": value}, in.pointer}, ""
		}
		var why string
		if in, why = w.followInput(ref, path); why != "" {
			return in, why
		}
	}
	return in, no(path, "the input's references have no end within %d steps", withinHops)
}

// followInput returns what a reference of the input refers to.
func (w *withinSearch) followInput(ref, path string) (inputNode, string) {
	target, pointer, ok := w.look(w.input, ref)
	if !ok {
		return inputNode{}, w.notFollowed(w.input, "the input's", ref, path)
	}
	return inputNode{target, pointer}, ""
}

// resolveOutput follows a reference of the output. Keywords beside the reference apply too.
func (w *withinSearch) resolveOutput(schema map[string]any, path string) (outputNode, string) {
	rest := map[string]any{}
	for range withinHops {
		ref, ok := schema["$ref"].(string)
		switch {
		case !ok && len(rest) == 0:
			return outputNode{schema}, ""
		case !ok:
			return outputNode{map[string]any{"allOf": []any{schema, rest}}}, ""
		}
		if !w.output.refAlone() {
			if rest, ok = w.merge(rest, without(schema, "$ref")); !ok {
				return outputNode{}, no(path, tooComplex)
			}
		}
		target, _, ok := w.look(w.output, ref)
		if !ok {
			return outputNode{}, w.notFollowed(w.output, "the output's", ref, path)
		}
		if target == false {
			return outputNode{false}, ""
		}
		if schema, ok = target.(map[string]any); !ok { // it is true, and what is beside the reference holds
			schema = map[string]any{}
		}
	}
	return outputNode{}, no(path, "the output's references have no end within %d steps", withinHops)
}

// notFollowed says why look has not found what a reference refers to.
func (w *withinSearch) notFollowed(in *document, whose, ref, path string) string {
	switch {
	case !w.spend(0):
		return no(path, tooComplex)
	case in.namesParts():
		return no(path, "%s reference %s is not followed, since parts of the schema have identifiers of their own", whose, fault.Clip(ref))
	default:
		return no(path, "%s reference %s leads nowhere, or to several places", whose, fault.Clip(ref))
	}
}

// look is lookUp within the budget: finding an anchor means searching everything. It finds nothing in a document whose parts have identifiers of their
// own: what a reference is relative to is then not known here.
func (w *withinSearch) look(in *document, ref string) (schema any, pointer string, ok bool) {
	cost := 1 + len(ref)/64
	if len(ref) > 1 && ref[1] != '/' {
		cost = size(in.root)
	}
	if !w.spend(cost) || in.namesParts() {
		return nil, "", false
	}
	return lookUp(in.root, ref)
}

// lookUp returns what a reference within root refers to, and its JSON pointer.
func lookUp(root map[string]any, ref string) (schema any, pointer string, ok bool) {
	escaped, local := strings.CutPrefix(ref, "#")
	fragment, err := url.PathUnescape(escaped)
	if !local || err != nil {
		return nil, "", false
	}
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		if found := anchored(root, fragment, "", 0); len(found) == 1 {
			return found[0].schema, found[0].pointer, true
		}
		return nil, "", false
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

// anchored returns what has the given $anchor. It may be no schema but, for example, a value: which one is meant is certain only if it is the only one.
func anchored(at any, name, pointer string, depth int) (found []inputNode) {
	if depth > maxLevels {
		return nil
	}
	switch v := at.(type) {
	case map[string]any:
		if v["$anchor"] == name {
			found = append(found, inputNode{v, pointer})
		}
		for _, key := range sortedKeys(v) {
			child := inputNode{pointer: pointer}.child(nil, key).pointer
			found = append(found, anchored(v[key], name, child, depth+1)...)
		}
	case []any:
		for i := range v {
			found = append(found, anchored(v[i], name, pointer+"/"+strconv.Itoa(i), depth+1)...)
		}
	}
	return found
}
