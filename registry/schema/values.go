package schema

import (
	"encoding/json"
	"net/url"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/quorate/quorate/platform/fault"
)

// values validates each of the values that the output can have.
func (w *withinSearch) values(values []any, in inputNode, path string) string {
	schema := w.compiled(in)
	if schema == nil {
		return no(path, "the input's schema cannot be read")
	}
	for _, value := range values {
		if !w.checkable(in, value) {
			return no(path, tooComplex)
		}
		if schema.Validate(value) != nil {
			return no(path, "the input does not take %s", shown(value))
		}
	}
	return ""
}

// checkable takes the work of validating a value from the budget, and reports whether that can be done.
func (w *withinSearch) checkable(in inputNode, value any) bool {
	return !w.input.namesParts() && w.weigh(in.schema, value, 0)
}

// compiled returns a validator for a part of the input, or nil.
func (w *withinSearch) compiled(in inputNode) *jsonschema.Schema {
	if w.compiler == nil {
		w.compiler = newCompiler()
		if err := w.compiler.AddResource(schemaURL, w.input.root); err != nil {
			return nil
		}
	}
	schema, err := w.compiler.Compile(schemaURL + (&url.URL{Fragment: in.pointer}).String())
	if err != nil {
		return nil
	}
	return schema
}

// shown returns a value as JSON.
func shown(value any) string {
	encoded, _ := json.Marshal(value) // it came from JSON, so this cannot fail
	return fault.Clip(string(encoded))
}
