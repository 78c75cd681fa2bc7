package registry

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxJSONSchema = 32 << 10     // bytes
	schemaURL     = "schema:///" // with all slashes, or references within the schema seem to lead elsewhere
)

// checkJSONSchema returns why a schema is not a JSON Schema (2020-12) that stands alone.
func checkJSONSchema(schema map[string]any) error {
	encoded, err := json.Marshal(schema)
	if err != nil || len(encoded) > maxJSONSchema {
		return fmt.Errorf("the schema has more than %d bytes as JSON", maxJSONSchema)
	}
	if n := schemaSteps(schema); n > maxSchemaSteps {
		return fmt.Errorf("the schema's patterns have %d steps, of which each repetition counts; the most is %d: repeat less often", n, maxSchemaSteps)
	}
	compiler := newCompiler()
	if err := compiler.AddResource(schemaURL, schema); err != nil {
		return fmt.Errorf("this is no JSON Schema: %w", err)
	}
	if _, err := compiler.Compile(schemaURL); err != nil {
		return fmt.Errorf("this is no JSON Schema: %w", err)
	}
	return nil
}

// newCompiler returns a compiler for 2020-12 that reads nothing from anywhere.
func newCompiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	return compiler
}

// noLoader refuses every schema that is somewhere else.
type noLoader struct{}

// Load returns an error.
func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("only references within the schema are followed, not " + clip(url))
}
