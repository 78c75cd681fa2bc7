package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/config"
)

func TestReadStrictSaysWhatIsWrongWithoutValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "",
		"name: x\n":                       "",
		"file: x\nage: 1\n":               "line 1: unknown field file; line 2: unknown field age",
		"level: s3cret\n":                 "line 1: cannot unmarshal !!str",
		"name: x\nname: y\n":              "already defined",
		"name: x\n---\nname: y\n":         "it has more than one document",
		"name: [s3cret\n":                 "line 1: did not find expected",
		strings.Repeat("# long\n", 1<<18): "1048576 bytes",
	} {
		path := filepath.Join(t.TempDir(), "file.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Name  string `yaml:"name"`
			Level int    `yaml:"level"`
		}
		err := config.ReadStrict(path, &got)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("ReadStrict(%.40q) = %v, want %q on one line, without the value", text, err, want)
		}
	}
}

// TestReadStrictWaitsForNobody has a device in place of a pipe, which a reader without the check would wait for.
func TestReadStrictWaitsForNobody(t *testing.T) {
	t.Parallel()
	if err := config.ReadStrict(os.DevNull, &struct{}{}); err == nil || !strings.Contains(err.Error(), os.DevNull+" is not a file") {
		t.Errorf("ReadStrict(%s) = %v, want that it is not a file", os.DevNull, err)
	}
}
