package a2aedge_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/config"
)

// TestTheClientOfOthersSpeaksToUs drives every binding with the A2A project's client for JavaScript, where Node.js is there and npm gets the client.
func TestTheClientOfOthersSpeaksToUs(t *testing.T) {
	dir := javaScript(t)
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

// TestAnAgentOfOthersDeliversOverGRPC has an agent that uses the A2A project's server for JavaScript deliver little and much: its HTTP/2 is neither Go's nor
// ours.
func TestAnAgentOfOthersDeliversOverGRPC(t *testing.T) {
	dir := javaScript(t)
	w := newWorld(t)
	node := exec.CommandContext(t.Context(), "node", "agent.js")
	node.Dir, node.Stderr = dir, t.Output()
	says, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = node.Cancel(); _ = node.Wait() }) // it ends only like this
	port, err := bufio.NewReader(says).ReadString('\n')
	if err != nil {
		t.Fatalf("the agent says no port: %v", err)
	}
	for name, streams := range map[string]string{"streaming": "true", "polled": "false"} {
		card := `{"name":"` + name + `","description":"d","version":"1.0.0","capabilities":{"streaming":` + streams + `},"defaultInputModes":["text/plain"],
			"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],
			"supportedInterfaces":[{"url":"http://127.0.0.1:` + strings.TrimSpace(port) + `","protocolBinding":"GRPC","protocolVersion":"1.0"}]}`
		if made := w.call(t, http.MethodPost, "/v1/agents:register", `{"card":`+card+`}`, nil); made.code != http.StatusOK {
			t.Fatalf("register = %d %s", made.code, made.body)
		}
		for _, size := range []int{1, 64 << 10, 300 << 10} {
			got := w.delivered(t, name, strconv.Itoa(size))
			if len(got) != size || strings.Trim(got, "x") != "" {
				t.Errorf("the %s agent has delivered %d bytes, want %d", name, len(got), size)
			}
		}
	}
}

// delivered has an agent asked for something and returns the text of what it delivers.
func (w *world) delivered(t *testing.T, agent, request string) string {
	t.Helper()
	made := w.call(t, http.MethodPost, "/v1/tasks", `{"message":{"parts":[{"text":"`+request+`"}]},"route":{"agent":"`+agent+`"}}`, nil)
	var task struct {
		ID, State string
		Artifacts []struct{ Parts []struct{ Text string } }
	}
	for {
		if err := json.Unmarshal([]byte(made.body), &task); err != nil || made.code != http.StatusOK {
			t.Fatalf("the task is %d %.200s", made.code, made.body)
		}
		switch task.State {
		case "TASK_STATE_COMPLETED":
			if len(task.Artifacts) != 1 || len(task.Artifacts[0].Parts) != 1 {
				t.Fatalf("the task has %d artifacts, want one of one part", len(task.Artifacts))
			}
			return task.Artifacts[0].Parts[0].Text
		case "TASK_STATE_FAILED":
			t.Fatalf("the task has failed: %s", made.body)
		}
		select {
		case <-w.ctx.Done():
			t.Fatalf("the task is still %s", task.State)
		case <-time.After(20 * time.Millisecond):
		}
		made = w.call(t, http.MethodGet, "/v1/tasks/"+task.ID, "", nil)
	}
}

// javaScript returns a folder with the programs in JavaScript and the packages that they need.
func javaScript(t *testing.T) string {
	t.Helper()
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
		missing(t, "npm does not get the packages: %v\n%s", err, out)
	}
	return dir
}

// missing skips a test that needs what is not here, but not in CI.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if config.Env("QUORATE_CI") == "1" {
		t.Fatalf(format+"; CI has to test with it", args...)
	}
	t.Skipf(format, args...)
}
