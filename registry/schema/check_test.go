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
