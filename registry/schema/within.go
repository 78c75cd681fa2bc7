package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/quorate/quorate/platform/fault"
)

const (
	withinSteps = 20_000 // comparisons of two schemas in one call
	withinDepth = 100
	maxWhy      = 250 // characters of a reason, since answers and the directory hold many
)

// Within reports whether every value that is valid for the output's JSON Schema is valid for the input's. why says why, or why not and at which
// place. A property that a schema does not declare counts as absent: an object is taken to have its declared properties only. When Within
// cannot tell, it returns false.
//
// It compares types, including null and integer, required and optional properties at any depth, additional properties and the output's pattern
// properties, arrays and tuples, enum and const, bounds, formats and patterns, allOf, anyOf and oneOf, and references within a schema, including
// cycles.
func Within(output, input map[string]any) (within bool, why string) {
	w := &withinSearch{output: newDocument(output), input: newDocument(input), open: make(map[pair]int)}
	if w.equal(w.output.root, w.input.root) {
		return true, "both are the same"
	}
	if err := w.within(outputNode{w.output.root}, inputNode{schema: w.input.root}, "", 0); err != "" {
		return false, fault.ClipTo(err, maxWhy)
	}
	if required := texts(input["required"]); len(required) > 0 {
		return true, fault.ClipTo("the output always has "+strings.Join(required, ", "), maxWhy)
	}
	return true, "nothing that the input needs is missing"
}

// withinSearch is one comparison in progress. Its methods return why the output does not fit, or "".
type withinSearch struct {
	output, input *document
	compiler      *jsonschema.Compiler
	patterns      map[string]*regexp.Regexp // of the output's pattern properties; nil for a pattern that does not compile
	matching      map[string]int            // steps of the input's patterns
	open          map[pair]int              // pairs that are being compared, each with the length of its path
	steps, work   int
}

// outputNode is a schema of the output. It may be merged from several.
type outputNode struct {
	schema any // map[string]any or bool
}

// inputNode is a schema of the input and its JSON pointer.
type inputNode struct {
	schema  any // map[string]any or bool
	pointer string
}

// object returns the schema's keywords; a boolean schema has none.
func (n inputNode) object() map[string]any {
	keywords, _ := n.schema.(map[string]any)
	return keywords
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

func (n inputNode) child(schema any, keys ...string) inputNode {
	parts := []string{n.pointer}
	for _, key := range keys {
		parts = append(parts, escapePointer.Replace(key))
	}
	return inputNode{schema, strings.Join(parts, "/")}
}

// no formats why the output does not fit, and at which place.
func no(path, format string, args ...any) string {
	if path == "" {
		path = "the value"
	}
	return path + ": " + fmt.Sprintf(format, args...)
}

func (w *withinSearch) within(out outputNode, in inputNode, path string, depth int) string {
	if !w.step(out.schema, in.schema, depth) || !w.spend(len(path)/64) {
		return no(path, tooComplex)
	}
	in, why := w.resolveInput(in, path)
	if why != "" {
		return why
	}
	switch {
	case in.schema == true, out.schema == false:
		return ""
	case in.schema == false:
		return no(path, "the input takes nothing here")
	}
	schema, _ := out.schema.(map[string]any) // none if the schema is true
	fits, leave := w.enter(schema, in, path)
	defer leave()
	if fits {
		return ""
	}
	if _, ok := schema["$ref"].(string); ok {
		target, why := w.resolveOutput(schema, path)
		if why != "" || target.schema == false {
			return why
		}
		schema, _ = target.schema.(map[string]any)
	}
	if schema == nil {
		schema = map[string]any{}
	}
	if hasAny(in.object(), everyOther) && w.same(constraints(schema), constraints(in.object())) {
		return ""
	}
	return w.objects(schema, in, path, depth)
}

// objects compares two schemas that are neither booleans nor references.
func (w *withinSearch) objects(out map[string]any, in inputNode, path string, depth int) string {
	into := in.object()
	if len(constraints(into)) == 0 {
		return ""
	}
	out, why := w.mergeAllOf(out, path)
	if why != "" {
		return why
	}
	if values, ok := enumOf(out); ok {
		return w.values(values, in, path)
	}
	if one, ok := into["oneOf"]; ok && w.same(out["oneOf"], one) {
		in.schema = without(into, "oneOf")
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches, ok := out[keyword].([]any); ok {
			rest := without(out, keyword)
			if keyword == "anyOf" {
				rest = beside(branches, rest)
			}
			for _, branch := range branches {
				if why := w.within(outputNode{map[string]any{"allOf": []any{rest, branch}}}, in, path, depth+1); why != "" {
					return why
				}
			}
			return ""
		}
	}
	return w.against(out, in, path, depth)
}

// beside returns what the output says beside anyOf. If several alternatives hold, more is evaluated than what one of them describes.
func beside(anyOf []any, rest map[string]any) map[string]any {
	if _, ok := unevaluated(rest); !ok {
		return without(rest, "unevaluatedProperties")
	}
	rest[leftOut] = append(slices.Clone(list(rest[leftOut])), anyOf...)
	return rest
}

// against compares an output without alternatives with everything that the input says.
func (w *withinSearch) against(out map[string]any, in inputNode, path string, depth int) string {
	into := in.object()
	if ref, ok := into["$ref"].(string); ok {
		target, why := w.followInput(ref, path)
		if why == "" {
			why = w.within(outputNode{out}, target, path, depth+1)
		}
		if why != "" {
			return why
		}
	}
	for i, part := range list(into["allOf"]) {
		if why := w.within(outputNode{out}, in.child(part, "allOf", strconv.Itoa(i)), path, depth+1); why != "" {
			return why
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := list(into[keyword]); len(branches) > 0 {
			if why := w.branches(out, in, keyword, branches, path, depth); why != "" {
				return why
			}
		}
	}
	if _, ok := enumOf(into); ok {
		if values, ok := fewValues(out); ok {
			return w.values(values, in, path)
		}
		return no(path, "the input takes certain values only, and the output may have others")
	}
	if why := w.notCompared(out, in, path, depth); why != "" {
		return why
	}
	return w.keywords(out, in, path, depth)
}
