package schema

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/quorate/quorate/platform/fault"
)

// keywords compares what remains after references and alternatives are resolved.
func (w *withinSearch) keywords(out map[string]any, in inputNode, path string, depth int) string {
	into := in.object()
	types := typesOf(out)
	for _, one := range types {
		if accepted := typesOf(into); !slices.Contains(accepted, one) && (one != "integer" || !slices.Contains(accepted, "number")) {
			return no(path, "the output may be %s, which the input does not take", article(one))
		}
		var why string
		switch one {
		case "string":
			why = stringWithin(out, into, path)
		case "number", "integer":
			why = numberWithin(one, out, into, path)
		case "array":
			why = w.arrayWithin(out, in, path, depth)
		case "object":
			why = w.objectWithin(out, in, path, depth)
		}
		if why != "" {
			return why
		}
	}
	return ""
}

func stringWithin(out, in map[string]any, path string) string {
	if why := boundsWithin("minLength", "maxLength", out, in, path); why != "" {
		return why
	}
	for _, keyword := range []string{"pattern", "format"} {
		if want, ok := in[keyword].(string); ok && out[keyword] != want {
			return no(path, "the input wants the %s %s, which the output does not promise", keyword, fault.Clip(want))
		}
	}
	return ""
}

// boundsWithin compares a lower and an upper bound. A missing bound means unbounded.
func boundsWithin(lower, upper string, out, in map[string]any, path string) string {
	if want, ok := in[lower].(float64); ok {
		switch got, ok := out[lower].(float64); {
		case ok && got < want:
			return no(path, "the input's %s is %v, and the output's is lower", lower, want)
		case !ok && want > 0:
			return no(path, "the input's %s is %v, and the output has none", lower, want)
		}
	}
	if want, ok := in[upper].(float64); ok {
		switch got, ok := out[upper].(float64); {
		case !ok:
			return no(path, "the input's %s is %v, and the output has none", upper, want)
		case got > want:
			return no(path, "the input's %s is %v, and the output's is higher", upper, want)
		}
	}
	return ""
}

func numberWithin(kind string, out, in map[string]any, path string) string {
	for _, side := range []struct {
		inclusive, exclusive, word string
		sign                       float64 // 1 for the upper bound and -1 for the lower one
	}{{"minimum", "exclusiveMinimum", "below", -1}, {"maximum", "exclusiveMaximum", "above", 1}} {
		got, gotOpen := numberBound(out, side.inclusive, side.exclusive, side.sign)
		if kind == "integer" {
			got, gotOpen = wholeBound(got, gotOpen, side.sign)
		}
		want, wantOpen := numberBound(in, side.inclusive, side.exclusive, side.sign)
		switch {
		case wantOpen && (got*side.sign > want*side.sign || got == want && !gotOpen):
			return no(path, "the input takes no number that is %v or %s it", want, side.word)
		case got*side.sign > want*side.sign:
			return no(path, "the input takes no number %s %v", side.word, want)
		}
	}
	if step, ok := in["multipleOf"].(float64); ok {
		got, ok := out["multipleOf"].(float64)
		if (!ok || !multiple(got, step)) && (kind != "integer" || !multiple(1, step)) {
			return no(path, "the input takes multiples of %v only", step)
		}
	}
	return ""
}

// multiple reports whether a number is a multiple of another, as they are written: in binary, 0.1 is no multiple of 0.01.
func multiple(number, of float64) bool {
	a, ok := new(big.Rat).SetString(fmt.Sprint(number))
	b, okToo := new(big.Rat).SetString(fmt.Sprint(of))
	return ok && okToo && b.Sign() > 0 && a.Quo(a, b).IsInt()
}

// numberBound returns the tighter of two bounds, and whether the bound itself is excluded. sign is 1 for an upper bound and -1 for a lower one.
func numberBound(schema map[string]any, inclusive, exclusive string, sign float64) (bound float64, open bool) {
	bound = math.Inf(int(sign))
	if v, ok := schema[inclusive].(float64); ok {
		bound = v
	}
	if v, ok := schema[exclusive].(float64); ok && (v-bound)*sign <= 0 {
		return v, true
	}
	return bound, math.IsInf(bound, 0) || schema[exclusive] == true // the latter is how draft 4 writes it
}

// wholeBound returns the bound that another one is for integers.
func wholeBound(bound float64, open bool, sign float64) (whole float64, stillOpen bool) {
	if math.IsInf(bound, 0) {
		return bound, open
	}
	whole = math.Floor(bound*sign) * sign
	if open && whole == bound {
		whole -= sign
	}
	return whole, false
}

func (w *withinSearch) arrayWithin(out map[string]any, in inputNode, path string, depth int) string {
	into := in.object()
	if why := boundsWithin("minItems", "maxItems", out, into, path); why != "" {
		return why
	}
	made, taken := w.output.items(out), w.input.items(into)
	for i := range max(len(made.first), len(taken.first)) {
		wanted, ok := taken.at(i)
		if !ok {
			continue
		}
		got, ok := made.at(i)
		if !ok {
			got = true
		}
		child := in.child(wanted, taken.restKey)
		if i < len(taken.first) {
			child = in.child(wanted, taken.firstKey, strconv.Itoa(i))
		}
		if why := w.within(outputNode{got}, child, path+"["+strconv.Itoa(i)+"]", depth+1); why != "" {
			return why
		}
	}
	if taken.rest == nil {
		return ""
	}
	got := made.rest
	if got == nil {
		got = true
	}
	if most, ok := out["maxItems"].(float64); ok && most <= float64(len(made.first)) {
		return ""
	}
	return w.within(outputNode{got}, in.child(taken.rest, taken.restKey), path+"[]", depth+1)
}
