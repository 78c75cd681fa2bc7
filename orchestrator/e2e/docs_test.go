package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/dev"
	"github.com/quorate/quorate/platform/config"
)

// block matches a block of commands in a document.
var block = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestTheDocumentedCallsWork does what the documents show, in their order, with the addresses and the token of this server.
func TestTheDocumentedCallsWork(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		if config.Env("QUORATE_CI") == "1" {
			t.Fatal("there is no curl here")
		}
		t.Skip("there is no curl here; install it, such as apt-get install curl")
	}
	q := start(t, t.TempDir())
	lookup := blocks(t, "../../agents/README.md")
	if out := q.shell(lookup[0]); strings.Count(out, `"name":"web-fetch"`) < 2 {
		t.Errorf("%s: %s\nwant web-fetch twice", lookup[0], out)
	}
	task := ""
	for _, b := range blocks(t, "../../docs/dispatching.md")[1:] { // the first sets Q and TOKEN
		out := q.shell(strings.ReplaceAll(b, "/TASK", "/"+task))
		if found := regexp.MustCompile(`^\{"id":"([a-z0-9]+)"`).FindStringSubmatch(out); found != nil {
			task = found[1]
		} else if !strings.Contains(out, "How a quorum decides") {
			t.Errorf("%s: %s\nwant the page", b, out)
		}
	}
	if task == "" {
		t.Error("no call returned a task")
	}
}

// blocks returns the blocks of commands in a document.
func blocks(t *testing.T, file string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range block.FindAllStringSubmatch(string(text), -1) {
		all = append(all, b[1])
	}
	if len(all) == 0 {
		t.Fatalf("%s has no commands", file)
	}
	return all
}

// shell runs documented commands, which must succeed, and returns what they printed.
func (i *instance) shell(commands string) string {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-e", "-c", strings.ReplaceAll(commands, "http://"+dev.DemoAddr, i.ports.DemoSite))
	shell.Env = []string{"PATH=/usr/bin:/bin", "Q=" + i.ports.HTTP, "TOKEN=" + i.token()}
	out, err := shell.CombinedOutput()
	if err != nil || strings.Contains(string(out), "type.googleapis.com/google.rpc.ErrorInfo") {
		i.t.Errorf("%s: %v\n%s\nwant an answer without an error", commands, err, out)
	}
	return string(out)
}
