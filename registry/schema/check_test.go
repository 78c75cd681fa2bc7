package schema_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
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

func TestWhatIsWrongWithASchemaIsSaidInShort(t *testing.T) {
	t.Parallel()
	if err := schema.Check(map[string]any{"$ref": "#/" + strings.Repeat("x", 30_000)}); err == nil || len(err.Error()) > 500 {
		t.Errorf("Check() of a long reference to nowhere = %.100v…, want an error of at most 500 bytes", err)
	}
}

// TestADeepSchemaIsRefused has a schema of 1 KiB; one of 32 KiB in the same form takes minutes and gigabytes to compile.
func TestADeepSchemaIsRefused(t *testing.T) {
	t.Parallel()
	nested := func(levels int) map[string]any {
		return parse(t, strings.Repeat(`{"not":`, levels-1)+"{}"+strings.Repeat("}", levels-1))
	}
	if err := schema.Check(nested(200)); err != nil {
		t.Errorf("Check() of 200 levels = %v, want no error", err)
	}
	if err := schema.Check(nested(201)); err == nil || !strings.Contains(err.Error(), "200 levels") {
		t.Errorf("Check() of 201 levels = %v, want that there are too many", err)
	}
}

func TestANumberThatIsNoJSONIsSaidToBe(t *testing.T) {
	t.Parallel()
	if err := schema.Check(map[string]any{"maximum": math.Inf(1)}); err == nil || !strings.Contains(err.Error(), "+Inf") {
		t.Errorf("Check() of an infinite number = %v, want that it cannot be JSON", err)
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
