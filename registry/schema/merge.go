package schema

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
)

// together are keywords of which one decides what another means.
var together = [][]string{{"if", "then", "else"}, {"contains", "minContains", "maxContains"}, {"items", "additionalItems"}}

// leftOut is no keyword of JSON Schema. merge lists under it what it leaves out: that may still describe properties.
const leftOut = "left out"

// mergeAllOf returns the output's schema with its allOf merged in. What cannot be merged is left out: the schema then describes more values and is
// more likely to be refused.
func (w *withinSearch) mergeAllOf(out map[string]any, path string) (map[string]any, string) {
	for i := range withinDepth {
		parts, ok := out["allOf"].([]any)
		if !ok {
			if i > 0 { // parts that are left out may evaluate items
				out = without(out, "unevaluatedItems")
			}
			return w.output.understood(out), ""
		}
		out = without(out, "allOf")
		for _, part := range parts {
			schema, _ := part.(map[string]any)
			if _, ok := schema["$ref"].(string); ok {
				target, why := w.resolveOutput(schema, path)
				if why != "" {
					return nil, why
				}
				part = target.schema
				schema, _ = part.(map[string]any)
			}
			if part == false {
				return map[string]any{"enum": []any{}}, ""
			}
			if out, ok = w.merge(out, schema); !ok { // true says nothing
				return nil, no(path, tooComplex)
			}
		}
	}
	return nil, no(path, "the output's allOf has no end within %d levels", withinDepth)
}

// merge returns a schema for the values that are valid for both a and b. It may allow more values: of keywords that cannot be combined it keeps only
// one.
func merge(a, b map[string]any) map[string]any {
	joined, left := maps.Clone(a), make(map[string]any)
	for keyword, value := range b {
		old, inBoth := a[keyword]
		merged, ok := value, !decided(keyword, a)
		if inBoth {
			merged, ok = mergeKeyword(keyword, old, value)
		}
		if ok {
			joined[keyword] = merged
		} else {
			left[keyword] = value
		}
	}
	if hasAny(left, everyOther) {
		joined[leftOut] = append(slices.Clone(list(joined[leftOut])), left)
	}
	return joined
}

// decided reports whether a schema has a keyword of which another one must not come from elsewhere.
func decided(keyword string, schema map[string]any) bool {
	return slices.ContainsFunc(together, func(group []string) bool { return slices.Contains(group, keyword) && hasAny(schema, group) })
}

// mergeKeyword is merge for what both say under a keyword. If that cannot be combined, ok is false.
func mergeKeyword(keyword string, a, b any) (merged any, ok bool) {
	switch keyword {
	case "type":
		return commonTypes(map[string]any{keyword: a}, map[string]any{keyword: b}), true
	case "required", "allOf", leftOut:
		return append(slices.Clone(list(a)), list(b)...), true
	case "anyOf", "oneOf":
		return eachWith(list(a), map[string]any{keyword: b}), true
	case "properties", "patternProperties":
		return mergeProperties(a, b), true
	case "enum":
		return commonValues(list(a), list(b)), true
	case "prefixItems": // behind the shorter one, all items would be taken to be as items says
		return slices.MaxFunc([]any{a, b}, func(a, b any) int { return cmp.Compare(width(a), width(b)) }), true
	case "minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum":
		return tighter(a, b, 1), true
	case "maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum":
		return tighter(a, b, -1), true
	case "additionalProperties", "items":
		return both(a, b), true
	case "unevaluatedProperties": // what one of them is about may be evaluated for the other
		if a == false && b == false {
			return false, true
		}
		return map[string]any{"anyOf": []any{a, b}}, true
	}
	return nil, false
}

// commonValues returns those of some values that are among others too.
func commonValues(some, others []any) []any {
	return slices.DeleteFunc(slices.Clone(some), func(v any) bool {
		return !slices.ContainsFunc(others, func(o any) bool { return reflect.DeepEqual(v, o) })
	})
}

func hasAny(schema map[string]any, keywords []string) bool {
	return slices.ContainsFunc(keywords, func(keyword string) bool { return schema[keyword] != nil })
}

// eachWith returns alternatives, to each of which another schema is added.
func eachWith(branches []any, more map[string]any) []any {
	both := make([]any, len(branches))
	for i, branch := range branches {
		both[i] = map[string]any{"allOf": []any{branch, more}}
	}
	return both
}

func commonTypes(a, b map[string]any) []any {
	common := []any{}
	other := typesOf(b)
	for _, t := range typesOf(a) {
		switch {
		case slices.Contains(other, t):
			common = append(common, t)
		case t == "integer" && slices.Contains(other, "number"), t == "number" && slices.Contains(other, "integer"):
			common = append(common, "integer")
		}
	}
	return common
}

func mergeProperties(a, b any) map[string]any {
	joined, _ := a.(map[string]any)
	joined = maps.Clone(joined)
	more, _ := b.(map[string]any)
	for name, schema := range more {
		if old, both := joined[name]; both {
			joined[name] = map[string]any{"allOf": []any{old, schema}}
		} else {
			joined[name] = schema
		}
	}
	return joined
}

// both returns a schema for what two schemas allow. Of a schema and a list of them, which older drafts have, it keeps the first: merge may do that.
func both(a, b any) any {
	_, aIsList := a.([]any)
	_, bIsList := b.([]any)
	switch {
	case aIsList || bIsList || a == false || b == true:
		return a
	case a == true || b == false:
		return b
	default:
		return map[string]any{"allOf": []any{a, b}}
	}
}

// tighter returns the larger of two numbers when sign is 1 and the smaller when it is -1.
func tighter(a, b any, sign float64) any {
	x, ok := a.(float64)
	y, ok2 := b.(float64)
	if ok && (!ok2 || x*sign > y*sign) {
		return x
	}
	return b
}
