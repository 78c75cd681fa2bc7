package router

import (
	"encoding/json"
	"regexp"

	"github.com/quorate/quorate/registry/schema"
)

// schemaCheck checks the values of a task's inputs against the JSON Schemas of its agent.
type schemaCheck struct{ left int } // work that may still be done

func newSchemaCheck() *schemaCheck { return &schemaCheck{left: schema.MaxWork} }

var isURL = regexp.MustCompile(`^https?://[^\s"'<>]+$`)

// invalid returns why a value is not valid for a schema, or "". A text may be a string or, as an agent or a file has it, JSON; other data is no text. What a
// URL leads to is not known here, so an input that is a URL is not checked, nor is one of several parts: a schema is for one value.
func (c *schemaCheck) invalid(of map[string]any, v inputValue) string {
	if of == nil || v.parts != 1 || isURL.MatchString(v.text) {
		return ""
	}
	var why string
	if !v.structured {
		if why = schema.Invalid(of, v.text, &c.left); why == "" {
			return ""
		}
	}
	var decoded any
	if json.Unmarshal([]byte(v.text), &decoded) != nil {
		return why
	}
	return schema.Invalid(of, decoded, &c.left)
}
