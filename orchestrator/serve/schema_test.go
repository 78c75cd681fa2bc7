package serve_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/quorate/quorate/orchestrator/serve"
	settings "github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/registry/schema"
)

// TestEditorsAndServeTakeTheSameFiles checks files by the JSON Schema that editors get and reads them as serve does.
func TestEditorsAndServeTakeTheSameFiles(t *testing.T) {
	t.Parallel()
	const enough = "store: {dataDir: /data}\nauth: {keysFile: /keys}\n"
	for _, test := range []struct {
		name, file string
		valid      bool
	}{
		{"the least that suffices", enough, true},
		{"a section without settings", enough + "tls:\n", true},
		{"a setting without a value", enough + "http: {publicURL: }\n", true},
		{"each kind of value", enough + "calls: {max: 100}\ntelemetry: {traceRatio: 0.5}\ntls: {plaintext: true}\nhttp: {allowedHosts: [a, b]}\nretention: {tasks: 1h30m}\n", true},
		{"a duration of none", enough + "retention: {tasks: 0}\n", true},
		{"a duration without a unit", enough + "retention: {tasks: 30}\n", false},
		{"a duration in days", enough + "retention: {tasks: 30d}\n", false},
		{"an unknown section", enough + "htpp: {addr: host}\n", false},
		{"an unknown setting", enough + "http: {port: 1}\n", false},
		{"one value for a list", enough + "http: {allowedHosts: a}\n", false},
		{"a list for one value", enough + "http: {addr: [a]}\n", false},
		{"a null in a list", enough + "http: {allowedHosts: [a, null]}\n", false},
		{"a value for a section", enough + "http: 1\n", false},
		{"a fraction for a number", enough + "calls: {max: 1.5}\n", false},
		{"a word for a number", enough + "calls: {max: many}\n", false},
		{"a word for yes or no", enough + "tls: {plaintext: maybe}\n", false},
	} {
		c := serve.DefaultConfig()
		_, err := settings.Load(&c, settings.Options{File: write(t, filepath.Join(t.TempDir(), "quorate.yaml"), test.file), Environ: []string{}})
		if loads := err == nil; loads != test.valid {
			t.Errorf("%s: Load() = %v, want it taken: %t", test.name, err, test.valid)
		}
		if why := invalidFile(t, test.file); (why == "") != test.valid {
			t.Errorf("%s: the schema says %q, want it taken: %t", test.name, why, test.valid)
		}
	}
}

// invalidFile returns why a file is invalid by the schema, or "".
func invalidFile(t *testing.T, file string) string {
	t.Helper()
	text, err := settings.JSONSchema(new(serve.DefaultConfig()))
	if err != nil {
		t.Fatalf("JSONSchema() = %v, want no error", err)
	}
	var of map[string]any
	if err := json.Unmarshal(text, &of); err != nil {
		t.Fatal(err)
	}
	if err := schema.Check(of); err != nil {
		t.Fatalf("Check(%s) = %v, want a JSON Schema", text, err)
	}
	var value any
	if err := yaml.Unmarshal([]byte(file), &value); err != nil {
		t.Fatal(err)
	}
	left := schema.MaxWork
	return schema.Invalid(of, value, &left)
}
