package schema

import (
	"maps"
	"slices"
	"strings"
)

// document is a schema as a whole, which says how its parts are to be read.
type document struct {
	root  map[string]any
	draft int   // of JSON Schema
	named *bool // whether parts have identifiers of their own; nil until it is looked up
}

const latestDraft = 2020

// drafts are those before the latest, by a part of the URIs of their metaschemas.
var drafts = map[string]int{"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019}

// since says which draft has added a keyword, or given it its present form, for those that are not in all drafts.
var since = map[string]int{
	"const": 6, "contains": 6, "propertyNames": 6, "exclusiveMinimum": 6, "exclusiveMaximum": 6, "if": 7, "then": 7, "else": 7,
	"minContains": 2019, "maxContains": 2019, "dependentRequired": 2019, "dependentSchemas": 2019, "unevaluatedItems": 2019, "unevaluatedProperties": 2019,
	"prefixItems": 2020, "$dynamicRef": 2020,
}

func newDocument(root map[string]any) *document {
	if unusual(root) {
		root, _ = usual(root).(map[string]any)
	}
	d := &document{root: root, draft: latestDraft}
	uri, _ := root["$schema"].(string)
	for part, draft := range drafts {
		if strings.Contains(uri, part) {
			d.draft = draft
		}
	}
	return d
}

// refAlone reports whether keywords beside a reference are ignored.
func (d *document) refAlone() bool { return d.draft < drafts["2019-09"] }

// understood returns a part of the document without the keywords that its draft does not know: they promise nothing.
func (d *document) understood(part map[string]any) map[string]any {
	if d.draft == latestDraft {
		return part
	}
	var unknown []string
	for keyword, draft := range since {
		if d.draft < draft {
			unknown = append(unknown, keyword)
		}
	}
	return without(part, unknown...)
}

// namesParts reports whether parts have identifiers of their own. References in those are relative to them.
func (d *document) namesParts() bool {
	if d.named == nil {
		key := "$id"
		if d.draft == drafts["draft-04"] {
			key = "id"
		}
		named := namesParts(without(d.root, key), key)
		d.named = &named
	}
	return *d.named
}

// namesParts reports whether a schema within v has an identifier of its own under the key: references in that schema are then relative to it.
func namesParts(v any, key string) bool {
	part := func(v any) bool { return namesParts(v, key) }
	switch v := v.(type) {
	case map[string]any:
		_, named := v[key].(string)
		return named || slices.ContainsFunc(slices.Collect(maps.Values(v)), part)
	case []any:
		return slices.ContainsFunc(v, part)
	}
	return false
}

// valueKeywords are followed by values, which only look like schemas.
var valueKeywords = []string{"const", "enum", "default", "examples"}

// nameKeywords are followed by schemas with names, which only look like keywords.
var nameKeywords = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}

// mosts are keywords that say how many there may be at most.
var mosts = []string{"maxItems", "maxLength", "maxProperties", "maxContains"}

// endless is a number of which nothing has more. Generators write the largest of their integers where they mean no limit, and our validator wraps it.
const endless = 1 << 53

// unusual reports whether v has a schema that usual changes.
func unusual(v any) bool {
	object, _ := v.(map[string]any)
	return object["nullable"] == true || slices.ContainsFunc(mosts, func(most string) bool { return isEndless(object[most]) }) || slices.ContainsFunc(inside(v), unusual)
}

func isEndless(most any) bool {
	n, ok := most.(float64)
	return ok && n >= endless
}

// usual returns a copy of v in which null is among the types of schemas that say nullable, as OpenAPI 3.0 writes that a value may be null, and in which
// no limit is endless.
func usual(v any) any {
	switch v := v.(type) {
	case []any:
		parts := make([]any, len(v))
		for i := range v {
			parts[i] = usual(v[i])
		}
		return parts
	case map[string]any:
		schema := maps.Clone(v)
		for key, part := range schema {
			if named := parts(part); slices.Contains(nameKeywords, key) && named != nil {
				schema[key] = eachUsual(named)
			} else if !slices.Contains(valueKeywords, key) {
				schema[key] = usual(part)
			}
		}
		types := list(v["type"])
		if one, ok := v["type"].(string); ok {
			types = []any{one}
		}
		if v["nullable"] == true && len(types) > 0 && !slices.Contains(types, any("null")) {
			schema["type"] = append(slices.Clip(types), "null")
		}
		maps.DeleteFunc(schema, func(key string, most any) bool { return slices.Contains(mosts, key) && isEndless(most) })
		return schema
	}
	return v
}

// eachUsual is usual for each of the schemas that have names.
func eachUsual(named map[string]any) map[string]any {
	all := make(map[string]any, len(named))
	for name, schema := range named {
		all[name] = usual(schema)
	}
	return all
}
