package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const folder = "../../deploy"

// quorate runs the program with arguments that have it do nothing, and returns what it says against them.
func quorate(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "../../.bin/quorate", args...).CombinedOutput()
	if err != nil {
		return "quorate " + strings.Join(args, " ") + ": " + err.Error() + "\n" + string(out)
	}
	return ""
}

// accepted fails the test when text is no configuration that `quorate serve` accepts.
func accepted(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "quorate.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if refused := quorate(t, "config", "explain", "serve", "--config", file); refused != "" {
		t.Errorf("the configuration is refused: %s\n%s", refused, text)
	}
}
