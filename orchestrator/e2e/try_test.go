package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatDevPrintsToTryWorks does in a shell elsewhere what dev prints, with nothing on the PATH but what every machine has.
func TestWhatDevPrintsToTryWorks(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Rel(here, filepath.Join(t.TempDir(), "it's mine"))
	if err != nil {
		t.Fatal(err)
	}
	q := start(t, dir)
	printed := q.stdout.String
	q.until("it prints what to try", func() bool { return strings.Contains(printed(), "Ctrl-C") })
	_, try, _ := strings.Cut(printed(), "\nTry\n")
	try, _, _ = strings.Cut(try, "\n\n")
	commands := strings.Split(try, "\n")
	if _, cat, found := strings.Cut(commands[0], "prints: "); found {
		commands[0] = cat
	}
	wants := []string{q.token(), "web-fetch", "How a quorum decides"}
	if len(commands) != len(wants) {
		t.Fatalf("quorate dev printed %q to try, want %d commands", commands, len(wants))
	}
	for i, want := range wants {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		shell := exec.CommandContext(ctx, "sh", "-c", commands[i])
		shell.Dir, shell.Env = t.TempDir(), []string{"PATH=/usr/bin:/bin"}
		if out, err := shell.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s\nwant %q in it", commands[i], err, out, want)
		}
	}
}

// TestAnAgentThatNoTaskCanReachIsSaidToBe registers a card whose only interface is of a version to come.
func TestAnAgentThatNoTaskCanReachIsSaidToBe(t *testing.T) {
	q := start(t, t.TempDir())
	card := filepath.Join(t.TempDir(), "card.json")
	const text = `{"name":"later","version":"1.0.0","supportedInterfaces":[{"url":"http://127.0.0.1:1","protocolBinding":"JSONRPC","protocolVersion":"2.0"}],"skills":[{"id":"s"}]}`
	if err := os.WriteFile(card, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "warning: card.supportedInterfaces: the agent offers no interface that Quorate speaks"
	if a := q.cli("agents", "register", "-f", card); a.exit != 0 || !strings.Contains(a.stderr, want) || !strings.Contains(a.stderr, "it offers JSONRPC 2.0") {
		t.Errorf("agents register = %d, %q, want 0 and the warning %q", a.exit, a.stderr, want)
	}
}
