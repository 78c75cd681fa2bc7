package schema

import "strings"

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
