package mcp

import "encoding/json"

// requestProperties describes the fields of webfetch.ParseRequest for models.
var requestProperties = map[string]any{
	"url":              property("string", "The page's http or https URL."),
	"format":           property("string", "text, markdown (the default), html, json, links or raw.", "text", "markdown", "html", "json", "links", "raw"),
	"timeout":          property("number", "Seconds that it may take, at most 300."),
	"follow_redirects": property("boolean", "Whether to follow redirects; true by default."),
	"max_size":         property("integer", "Bytes of the body to read at most."),
	"max_characters":   property("integer", "Characters of content to return at most."),
	"start_index":      property("integer", "The first character to return: next_index of the answer before."),
	"content_sha256":   property("string", "content_sha256 of the answer before: another content is an error."),
	"selector":         property("string", "A CSS selector: only what it matches."),
	"xpath":            property("string", "An XPath 1.0 expression: only what it matches."),
	"json_path":        property("string", "A JSONPath: only what it matches."),
	"render":           property("string", "Whether a browser shows the page first.", "never", "auto", "always"),
	"headers":          map[string]any{"type": "object", "description": "HTTP headers to send.", "additionalProperties": map[string]any{"type": "string"}},
	"no_cache":         property("boolean", "Ask the server even when there is a fresh answer."),
	"session":          property("string", "Cookies are kept among fetches with the same session. Choose a name that nobody guesses."),
	"credential":       property("string", "Name of a configured credential to use."),
	"locale":           property("string", "Language of error messages: en or ja."),
}

var domainProperties = map[string]any{"domain": property("string", "The domain, such as example.com or *.example.com.")}

func property(kind, description string, values ...string) map[string]any {
	p := map[string]any{"type": kind, "description": description}
	if len(values) > 0 {
		p["enum"] = values
	}
	return p
}

// schema returns the JSON Schema of an object.
func schema(properties map[string]any, required ...string) json.RawMessage {
	if properties == nil {
		properties = map[string]any{}
	}
	object := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		object["required"] = required
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`) // strings and maps always encode
	}
	return raw
}
