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

// TestTheDocumentedCallsWork does what docs/dispatching.md shows, in its order, with the addresses and the token of this server.
func TestTheDocumentedCallsWork(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		if config.Env("QUORATE_CI") == "1" {
			t.Fatal("there is no curl here")
		}
		t.Skip("there is no curl here; install it, such as apt-get install curl")
	}
	text, err := os.ReadFile("../../docs/dispatching.md")
	if err != nil {
		t.Fatal(err)
	}
	q := start(t, t.TempDir())
	here := strings.NewReplacer("http://"+dev.DemoAddr, q.ports.DemoSite)
	task := ""
	for _, b := range block.FindAllStringSubmatch(string(text), -1)[1:] { // the first sets Q and TOKEN
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		shell := exec.CommandContext(ctx, "sh", "-e", "-c", here.Replace(strings.ReplaceAll(b[1], "/TASK", "/"+task)))
		shell.Env = []string{"PATH=/usr/bin:/bin", "Q=" + q.ports.HTTP, "TOKEN=" + q.token()}
		out, err := shell.CombinedOutput()
		if err != nil || strings.Contains(string(out), "type.googleapis.com/google.rpc.ErrorInfo") {
			t.Errorf("%s: %v\n%s\nwant an answer without an error", b[1], err, out)
		}
		if found := regexp.MustCompile(`^\{"id":"([a-z0-9]+)"`).FindSubmatch(out); found != nil {
			task = string(found[1])
		} else if !strings.Contains(string(out), "How a quorum decides") {
			t.Errorf("%s: %s\nwant the page", b[1], out)
		}
	}
	if task == "" {
		t.Error("no call returned a task")
	}
}
