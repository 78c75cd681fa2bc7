package config

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// JSONSchema returns a JSON Schema of the files that Load reads into dst, a pointer to a struct with the defaults. It is of draft 7, which editors know. It is
// stricter than Load about quotes: a text is no bare number, and a number is not quoted. What only Validate refuses, it takes. An error is a bug in the struct.
func JSONSchema(dst any) ([]byte, error) {
	fields, err := schema(dst)
	if err != nil {
		return nil, err
	}
	root := newSection()
	root.Schema = "http://json-schema.org/draft-07/schema#"
	for _, f := range fields {
		sections := strings.Split(f.path, ".")
		in := root
		for _, name := range sections[:len(sections)-1] {
			if in.Properties[name] == nil {
				in.Properties[name] = newSection()
			}
			in = in.Properties[name]
		}
		in.Properties[end(f.path)] = newLeaf(f)
	}
	return json.MarshalIndent(root, "", "  ")
}

// schemaNode is the schema of a section or of a setting. A YAML null counts as not set, so each takes it.
type schemaNode struct {
	Schema      string                 `json:"$schema,omitempty"`
	Type        []string               `json:"type"`
	Description string                 `json:"description,omitempty"`
	Default     any                    `json:"default,omitempty"`
	Pattern     string                 `json:"pattern,omitempty"`
	Minimum     *int                   `json:"minimum,omitempty"`
	Maximum     *int                   `json:"maximum,omitempty"`
	Items       *schemaNode            `json:"items,omitempty"`
	Properties  map[string]*schemaNode `json:"properties,omitempty"`
	Additional  *bool                  `json:"additionalProperties,omitempty"`
}

func newSection() *schemaNode {
	return &schemaNode{Type: []string{"object", "null"}, Properties: make(map[string]*schemaNode), Additional: new(false)}
}

func newLeaf(f *field) *schemaNode {
	n := &schemaNode{Description: f.doc, Default: f.value.Interface()}
	switch kind := f.value.Kind(); {
	case f.value.Type() == reflect.TypeFor[time.Duration]():
		n.Type, n.Default = []string{"string", "integer", "null"}, written(f.value)
		n.Pattern = `^(0|([0-9.]+(ns|us|ms|s|m|h))+)$`
		n.Minimum, n.Maximum = new(0), new(0) // which alone needs no unit
	case kind == reflect.Slice:
		n.Type, n.Items = []string{"array", "null"}, &schemaNode{Type: []string{"string"}}
		if f.value.Len() == 0 {
			n.Default = []string{} // not null
		}
	case kind == reflect.Bool:
		n.Type = []string{"boolean", "null"}
	case kind == reflect.Float64:
		n.Type = []string{"number", "null"}
	case kind == reflect.String:
		n.Type = []string{"string", "null"}
	default:
		n.Type = []string{"integer", "null"}
	}
	return n
}
