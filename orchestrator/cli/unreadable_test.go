package cli_test

import (
	"strings"
	"testing"
)

// TestAFileThatCannotBeReadEndsEachCommandAlike names a file that is not there, and a folder, to whatever reads one.
func TestAFileThatCannotBeReadEndsEachCommandAlike(t *testing.T) {
	t.Parallel()
	folder, token := t.TempDir(), write(t, "token", "x")
	for _, args := range [][]string{
		{"agents", "register", "-f", "/no/such", "--token-file", token},
		{"agents", "register", "-f", folder, "--token-file", token},
		{"agents", "apply", "/no/such", "--token-file", token},
		{"agents", "list", "--token-file", "/no/such"},
		{"agents", "list", "--token-file", folder},
		{"agents", "list", "--token-file", token, "--ca-file", "/no/such"},
		{"serve", "--config", "/no/such"},
		{"config", "explain", "serve", "--config", "/no/such"},
	} {
		if exit, _, stderr := run(t.Context(), "", args...); exit != 6 || !strings.Contains(stderr, "_INVALID)") {
			t.Errorf("Main(%q) = %d, %q, want 6 and a reason", args, exit, stderr)
		}
	}
}
