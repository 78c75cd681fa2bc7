package schema

import (
	"maps"
	"reflect"
	"slices"
)

// together are keywords of which one decides what another means.
var together = [][]string{{"if", "then", "else"}, {"contains", "minContains", "maxContains"}, {"items", "additionalItems"}}

// leftOut is no keyword of JSON Schema. merge lists under it what it leaves out: that may still describe properties.
const leftOut = "left out"

// merge returns a schema for the values that are valid for both a and b. It may allow more values: of keywords that cannot be combined it keeps only
// one.
func merge(a, b map[string]any) map[string]any {
	joined, left := maps.Clone(a), make(map[string]any)
	for keyword, value := range b {
		old, inBoth := a[keyword]
		if !inBoth {
			if slices.ContainsFunc(together, func(group []string) bool { return slices.Contains(group, keyword) && hasAny(a, group) }) {
				left[keyword] = value
			} else {
				joined[keyword] = value
			}
			continue
		}
		switch keyword {
		case "type":
			joined[keyword] = commonTypes(a, b)
		case "required", "allOf", leftOut:
			joined[keyword] = append(slices.Clone(list(old)), list(value)...)
		case "anyOf", "oneOf":
			joined[keyword] = eachWith(list(old), map[string]any{keyword: value})
		case "properties", "patternProperties":
			joined[keyword] = mergeProperties(old, value)
		case "enum":
			joined[keyword] = slices.DeleteFunc(slices.Clone(list(old)), func(v any) bool {
				return !slices.ContainsFunc(list(value), func(o any) bool { return reflect.DeepEqual(v, o) })
			})
		case "prefixItems": // behind the shorter one, all items would be taken to be as items says
			if len(list(value)) > len(list(old)) {
				joined[keyword] = value
			}
		case "minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum":
			joined[keyword] = tighter(old, value, 1)
		case "maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum":
			joined[keyword] = tighter(old, value, -1)
		case "additionalProperties", "items":
			joined[keyword] = both(old, value)
		case "unevaluatedProperties": // what one of them is about may be evaluated for the other
			if old != false || value != false {
				joined[keyword] = map[string]any{"anyOf": []any{old, value}}
			}
		default:
			left[keyword] = value
		}
	}
	if hasAny(left, everyOther) {
		joined[leftOut] = append(slices.Clone(list(joined[leftOut])), left)
	}
	return joined
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
