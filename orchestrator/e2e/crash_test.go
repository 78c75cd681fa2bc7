package e2e_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/quorate/quorate/orchestrator/dev"
)

func TestACrashLosesNothingAndEndsATaskOnce(t *testing.T) {
	dir := t.TempDir()
	q := start(t, dir)
	running := q.document(0, "tasks", "submit", "--agent", "web-fetch", "--text", "Fetch "+q.ports.DemoSite+"/slow?seconds=2")["id"].(string)
	blocked := q.document(8, "tasks", "submit", "--agent", "web-fetch", "--text", "Fetch "+q.ports.DemoSite+"/article", "--attr", "handling_sensitive_data=true", "--watch")["id"].(string)
	q.until("the agent works on the task", func() bool {
		return len(list(q.document(0, "tasks", "get", running)["attempts"])) == 1
	})
	q.kill()

	site := q.ports.DemoSite
	q = start(t, dir)
	if q.ports.DemoSite != site || strings.HasSuffix(site, dev.DemoAddr) {
		t.Fatalf("the demo site is at %s, and was at %s, want the same port, and not the one that any other quorate dev takes", q.ports.DemoSite, site)
	}
	out := q.ok(0, "tasks", "watch", running, "-o", "json")
	if n := strings.Count(out, `"type":"state"`); n != 1 {
		t.Errorf("the log has %d ends, want 1:\n%s", n, out)
	}
	wantArticle(t, q.document(0, "tasks", "get", running))
	q.ok(0, "consultations", "request", blocked, "--requirement", "sensitive-data-review", "--wait")
	wantArticle(t, q.document(0, "tasks", "watch", blocked))
	q.stop()

	q = start(t, dir)
	if tasks := list(q.document(0, "tasks", "list")["tasks"]); len(tasks) != 3 {
		t.Errorf("after a stop and a start there are %d tasks, want 3: %v", len(tasks), tasks)
	}
	if agents := list(q.document(0, "agents", "list")["agents"]); len(agents) != 2 {
		t.Errorf("after a stop and a start there are %d agents, want 2: %v", len(agents), agents)
	}
}

func TestASecondInstanceOnTheSameDataIsRefused(t *testing.T) {
	dir := t.TempDir()
	q := start(t, dir)
	a := q.cli("dev", "--data-dir", dir+"/data", "--http-addr", "127.0.0.1:0", "--grpc-addr", "127.0.0.1:0", "--webfetch-addr", "127.0.0.1:0")
	if a.exit == 0 || !strings.Contains(a.stderr, "data") {
		t.Errorf("a second quorate dev: exit %d, %q, want a failure that names the data folder", a.exit, a.stderr)
	}
	q.ok(0, "agents", "list")
}

// A connection to the machine that breaks, or the hook of a program that renews certificates, sends SIGHUP, which would end the process in the middle of its calls.
func TestAHangUpIsAnOrderlyStop(t *testing.T) {
	q := start(t, t.TempDir())
	if signal.Ignored(syscall.SIGHUP) { // under nohup, as is the process then
		_ = q.cmd.Process.Signal(syscall.SIGHUP)
		q.ok(0, "agents", "list")
		return
	}
	q.stopBy(syscall.SIGHUP)
}

// Who is in a hurry need not wait for a call that does not end.
func TestASecondSignalEndsItAtOnce(t *testing.T) {
	q := start(t, t.TempDir())
	token, err := os.ReadFile(q.ports.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(q.ports.HTTP, "http://")
	call, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = call.Close() }()
	_, _ = fmt.Fprintf(call, "POST /v1/tasks HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n",
		address, strings.TrimSpace(string(token)))
	if line, err := bufio.NewReader(call).ReadString('\n'); err != nil || !strings.Contains(line, " 100 ") {
		t.Fatalf("POST /v1/tasks = %q, %v, want that its content is waited for", line, err)
	}
	if err := q.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	q.until("it takes no new connections", func() bool {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	if err := q.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-q.done
	if status, ok := q.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Errorf("quorate dev ended with %v after two signals, want that the second one ended it", q.err)
	}
}

func TestATaskThatRunsIsCanceled(t *testing.T) {
	q := start(t, t.TempDir())
	id := q.document(0, "tasks", "submit", "--agent", "web-fetch", "--text", "Fetch "+q.ports.DemoSite+"/slow?seconds=30")["id"].(string)
	q.ok(0, "tasks", "cancel", id)
	if task := q.document(7, "tasks", "watch", id); task["state"] != "TASK_STATE_CANCELED" {
		t.Errorf("state = %v, want canceled", task["state"])
	}
	q.ok(0, "tasks", "cancel", id) // as somebody does who lost the first answer
}

func list(v any) []any {
	l, ok := v.([]any)
	if !ok && v != nil {
		panic(fmt.Sprintf("not a list: %v", v))
	}
	return l
}
