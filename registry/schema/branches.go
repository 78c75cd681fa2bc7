package schema

import (
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// branches looks for an alternative of the input for each type that the output can have. An alternative of oneOf fits only if no other one accepts
// any of the values.
func (w *withinSearch) branches(out map[string]any, in inputNode, keyword string, branches []any, path string, depth int) string {
	for _, one := range typesOf(out) {
		single := without(out, "type")
		single["type"] = one
		fits := slices.IndexFunc(indexes(branches), func(i int) bool {
			return w.within(outputNode{single}, in.child(branches[i], keyword, strconv.Itoa(i)), path, depth+1) == ""
		})
		if fits < 0 {
			return no(path, "no alternative of the input takes %s", article(one))
		}
		for i, branch := range branches {
			if keyword == "oneOf" && i != fits && !w.apart(single, in.child(branch, keyword, strconv.Itoa(i)), depth+1) {
				return no(path, "more than one alternative of the input may take %s, and one must", article(one))
			}
		}
	}
	return ""
}

// apart reports whether no value of the output is valid for the input. When it cannot tell, it returns false.
func (w *withinSearch) apart(out any, in inputNode, depth int) bool {
	if !w.step(out, in.schema, depth) {
		return false
	}
	in, why := w.resolveInput(in, "")
	if why != "" || in.schema == false {
		return why == ""
	}
	schema, ok := out.(map[string]any)
	if !ok {
		return out == false
	}
	if schema, why = w.mergeAllOf(map[string]any{"allOf": []any{schema}}, ""); why != "" {
		return false
	}
	into := in.object()
	if w.apartFromAny(schema, in, depth) {
		return true
	}
	if values, ok := enumOf(schema); ok {
		checker := w.compiled(in)
		return checker != nil && !slices.ContainsFunc(values, func(value any) bool { return !w.checkable(in, value) || taken(checker, value) })
	}
	if len(commonTypes(schema, into)) == 0 {
		return true
	}
	return slices.Equal(typesOf(schema), []string{"object"}) && w.objectsApart(schema, in, depth)
}

// apartFromAny reports whether the output is apart from one of several schemas that the input says hold together.
func (w *withinSearch) apartFromAny(out map[string]any, in inputNode, depth int) bool {
	into := in.object()
	if ref, ok := into["$ref"].(string); ok {
		if target, why := w.followInput(ref, ""); why == "" && w.apart(out, target, depth+1) {
			return true
		}
	}
	for i, part := range list(into["allOf"]) {
		if w.apart(out, in.child(part, "allOf", strconv.Itoa(i)), depth+1) {
			return true
		}
	}
	return false
}

func taken(checker *jsonschema.Schema, value any) bool { return checker.Validate(value) == nil }

// objectsApart is apart for objects: the input needs a property that the output never has, or the output always has a property that the input does
// not accept.
func (w *withinSearch) objectsApart(out map[string]any, in inputNode, depth int) bool {
	into := in.object()
	for _, name := range texts(into["required"]) {
		if _, declared := w.property(out, name); !declared {
			return true
		}
	}
	inProperties, _ := into["properties"].(map[string]any)
	for _, name := range texts(out["required"]) {
		wanted, named := inProperties[name]
		if got, _ := w.property(out, name); named && w.apart(got, in.child(wanted, "properties", name), depth+1) {
			return true
		}
	}
	return false
}
