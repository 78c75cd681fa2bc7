package schema_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/quorate/quorate/registry/schema"
)

// TestASchemaReadsNoFiles refers to a file that is a schema: any agent may register the reference.
func TestASchemaReadsNoFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := schema.Check(map[string]any{"$ref": "file://" + file}); err == nil {
		t.Errorf("Check() of a reference to %s = nil, want that it is not followed", file)
	}
}

// TestWhatIsWrongWithASchemaIsSaidInOneLine is about whoever registers an agent, who wants to know where to look.
func TestWhatIsWrongWithASchemaIsSaidInOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"type":"objekt"}`:                                  "this is no JSON Schema: at '/type': value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'",
		`{"minLength":-1,"maxLength":-1}`:                    "this is no JSON Schema: at '/maxLength': minimum: got -1, want 0",
		`{"properties":{"a":{"type":"string"},"b":7,"c":7}}`: "this is no JSON Schema: at '/properties/b': got number, want boolean or object",
	} {
		for range 20 { // a validator finds them in any order
			if err := schema.Check(parse(t, text)); err == nil || err.Error() != want {
				t.Fatalf("Check(%s) = %v, want %s", text, err, want)
			}
		}
	}
}
