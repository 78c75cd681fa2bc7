package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/quorate/quorate/platform/fault"
)

const (
	maxBytes  = 32 << 10     // of a schema as JSON
	maxSteps  = 10_000       // of all its patterns
	maxLevels = 200          // of objects and lists in each other: the time to compile a schema grows with their square
	schemaURL = "schema:///" // with three slashes, or references within the schema would be resolved elsewhere
)

// Check returns an error unless schema is a self-contained JSON Schema, of 2020-12 or an older draft that it names, with at most 32 KiB and 200 levels, whose
// patterns have at most 10,000 steps.
func Check(schema map[string]any) error {
	encoded, err := json.Marshal(schema)
	if err != nil { // a number may be infinite where it does not come as JSON
		return fmt.Errorf("this is no JSON Schema: %w", err)
	}
	if len(encoded) > maxBytes {
		return fmt.Errorf("the schema has more than %d bytes as JSON", maxBytes)
	}
	if deeper(schema, maxLevels) {
		return fmt.Errorf("the schema has more than %d levels of objects and lists in each other", maxLevels)
	}
	if n := steps(schema); n > maxSteps {
		return fmt.Errorf("the schema's patterns have %d steps, of which each repetition counts; the most is %d: repeat less often", n, maxSteps)
	}
	compiler := newCompiler()
	if err := compiler.AddResource(schemaURL, schema); err != nil {
		return fmt.Errorf("this is no JSON Schema: %w", err)
	}
	_, err = compiler.Compile(schemaURL)
	if wrong, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if broken, ok := errors.AsType[*jsonschema.ValidationError](wrong.Err); ok {
			return errors.New("this is no JSON Schema: " + mistake(broken))
		}
	}
	if err != nil {
		return errors.New("this is no JSON Schema: " + fault.ClipTo(err.Error(), maxWhy))
	}
	return nil
}

// deeper reports whether v has more than some levels of objects and lists.
func deeper(v any, levels int) bool {
	switch v.(type) {
	case map[string]any, []any:
		return levels == 0 || slices.ContainsFunc(inside(v), func(part any) bool { return deeper(part, levels-1) })
	}
	return false
}

// newCompiler returns a compiler for 2020-12 that loads nothing from files or the network.
func newCompiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	return compiler
}

// noLoader refuses to load any other schema.
type noLoader struct{}

// Load returns an error.
func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("only references within the schema are followed, not " + fault.Clip(url))
}
