package a2aedge_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/config"
)

// TestTheClientOfOthersSpeaksToUs drives every binding with the A2A project's client for JavaScript, where Node.js is there and npm gets the client.
func TestTheClientOfOthersSpeaksToUs(t *testing.T) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing(t, "there is no %s", tool)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "a2ajs"))); err != nil {
		t.Fatal(err)
	}
	npm := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		missing(t, "npm does not get the client: %v\n%s", err, out)
	}
	w := newWorld(t)
	w.addAsker(t, "asker", nil)
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			node := exec.CommandContext(t.Context(), "node", "client.js", string(binding), w.http+"/agents/asker")
			node.Dir, node.Stdin = dir, strings.NewReader(w.token)
			if out, err := node.CombinedOutput(); err != nil || string(out) != "ok\n" {
				t.Errorf("the client ended with %v; it said:\n%s", err, out)
			}
		})
	}
}

// missing skips a test that needs what is not here, but not in CI.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if config.Env("QUORATE_CI") == "1" {
		t.Fatalf(format+"; CI has to test with it", args...)
	}
	t.Skipf(format, args...)
}
