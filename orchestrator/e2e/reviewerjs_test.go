package e2e_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/proctest"
)

const lookRule = `{"consultationRequirements":[{"id":"look","targetAgent":"js-reviewer","phase":"pre-execution","mandatory":true}]}`

// TestTheDocumentedReviewerReviews runs the reviewer in docs/reviewing.md as it is there, with the packages that the page names.
func TestTheDocumentedReviewerReviews(t *testing.T) {
	dir := documentedReviewer(t)
	q := start(t, t.TempDir())
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // the address of the example
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(token string) *proctest.Process {
		node := exec.Command("node", "reviewer.js") //nolint:noctx // Stop ends it
		node.Dir = dir
		node.Env = append(os.Environ(), "NAME=js-reviewer", "PORT="+strings.TrimPrefix(address, "127.0.0.1:"), "Q="+q.ports.HTTP, "TOKEN="+token)
		node.Stdout, node.Stderr = t.Output(), t.Output()
		p, err := proctest.Start(node, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Stop)
		return p
	}
	first := run("")
	q.ok(0, "agents", "register", "http://"+address)
	token := strings.TrimSpace(q.ok(0, "agents", "token", "js-reviewer"))
	first.Stop()
	run(token)
	rules := filepath.Join(t.TempDir(), "rules.json")
	if err := os.WriteFile(rules, []byte(lookRule), 0o600); err != nil {
		t.Fatal(err)
	}
	q.ok(0, "agents", "register", q.ports.WebFetch, "--name", "fetcher", "--metadata", rules)

	// What JavaScript and Go could write differently is in the second message; its digest is over all of it.
	for parts, outcome := range map[string]string{
		`{"text":"Fetch ` + q.ports.DemoSite + `/article"}`: "approved",
		`{"text":""},{"data":{"b":[1.5,-0.0,1e21,1e-7,12345678901234567890,true,null],"\uffee":1,"😀":"<&>\u2028\u0007\b\f\u007f"},"filename":"ü.json"},` +
			`{"raw":"AAEC/w==","mediaType":"image/png"},{"url":"https://example.com/?a=1&b=<"},{"data":"text"},{"data":-0.0},{"text":"é"}`: "approved",
		`{"text":"the password is 1234"}`: "rejected",
	} {
		if got := q.reviewed(parts); !strings.Contains(got, outcome) {
			t.Errorf("the review of %s is:\n%s\nwant it %s", parts, got, outcome)
		}
	}
}

// reviewed returns how a message was reviewed before an agent gets it.
func (i *instance) reviewed(parts string) string {
	i.t.Helper()
	code, task := i.rest(http.MethodPost, "/v1/tasks", `{"message":{"parts":[`+parts+`]},"route":{"agent":"fetcher"}}`)
	if code != http.StatusOK {
		i.t.Fatalf("POST /v1/tasks = %d %v", code, task)
	}
	id := fmt.Sprint(task["id"])
	i.until("the task is at its gate", func() bool {
		_, task := i.rest(http.MethodGet, "/v1/tasks/"+id, "")
		return task["state"] == "TASK_STATE_INPUT_REQUIRED"
	})
	a := i.cli("consultations", "request", id, "--requirement", "look", "--wait", "--timeout", patience.String())
	return a.stdout + a.stderr
}

// documentedReviewer returns a folder with the example and its packages. Without Node.js or npm it skips the test, but not in CI.
func documentedReviewer(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/reviewing.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```js\n(.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("docs/reviewing.md has no example in JavaScript")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "reviewerjs"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "reviewer.js"), example[1], 0o600); err != nil {
		t.Fatal(err)
	}
	npm := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	npm.Dir = dir
	_, err = exec.LookPath("node")
	if out, failed := npm.CombinedOutput(); err != nil || failed != nil {
		if config.Env("QUORATE_CI") == "1" {
			t.Fatalf("there is no Node.js (%v), or npm does not get the packages: %v\n%s", err, failed, out)
		}
		t.Skipf("there is no Node.js (%v), or npm does not get the packages: %v\n%s", err, failed, out)
	}
	return dir
}
