package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/logtest"
)

var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	if *partFlag != "" {
		os.Exit(runPart(*partFlag))
	}
	os.Exit(build(m))
}

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "quorate-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "quorate")
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", binary, "github.com/quorate/quorate/orchestrator/cmd/quorate").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "build quorate: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

const patience = 30 * time.Second // nothing here takes long; more means that it hangs

// instance is a running quorate dev.
type instance struct {
	t     testing.TB
	dir   string
	ports struct {
		HTTP      string `json:"http"`
		GRPC      string `json:"grpc"`
		TokenFile string `json:"token_file"`
		DemoSite  string `json:"demo_site"`
		WebFetch  string `json:"webfetch"`
	}
	cmd    *exec.Cmd
	done   chan struct{}
	err    error // of the process; read after done
	stdout logtest.Buffer
	stderr logtest.Buffer
}

// start runs quorate dev on the data in dir, with more flags perhaps, and waits until it is ready.
func start(tb testing.TB, dir string, flags ...string) *instance {
	tb.Helper()
	i := &instance{t: tb, dir: dir, done: make(chan struct{})}
	keepOffThePortOfTheDocuments(tb, filepath.Join(dir, "data"))
	file := filepath.Join(tb.TempDir(), "ports.json")
	flags = append([]string{
		"dev", "--data-dir", filepath.Join(dir, "data"), "--ports-file", file,
		"--http-addr", "127.0.0.1:0", "--grpc-addr", "127.0.0.1:0", "--webfetch-addr", "127.0.0.1:0",
	}, flags...)
	i.cmd = exec.CommandContext(context.WithoutCancel(tb.Context()), binary, flags...)
	i.cmd.Stdout, i.cmd.Stderr = &i.stdout, &i.stderr
	if err := i.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	go func() {
		i.err = i.cmd.Wait()
		close(i.done)
	}()
	tb.Cleanup(i.kill)
	i.until("quorate dev is ready", func() bool {
		b, err := os.ReadFile(file)
		return err == nil && json.Unmarshal(b, &i.ports) == nil
	})
	return i
}

// keepOffThePortOfTheDocuments lets the demo site of new data have a port of its own. On the one that the documents name, another test's quorate dev
// can take its place between a crash and the next start, and what tasks read is then gone.
func keepOffThePortOfTheDocuments(tb testing.TB, data string) {
	tb.Helper()
	if err := os.MkdirAll(data, 0o700); err != nil {
		tb.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(data, "ports.json"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return
	}
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := file.WriteString(`{"demo":"127.0.0.1:0"}`); err != nil {
		tb.Fatal(err)
	}
	if err := file.Close(); err != nil {
		tb.Fatal(err)
	}
}

// until waits for a condition and fails when the process dies first.
func (i *instance) until(what string, holds func() bool) {
	i.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-i.done:
			i.t.Fatalf("quorate dev ended (%v) before %s; it said:\n%s%s", i.err, what, i.stdout.String(), i.stderr.String())
		case <-deadline.C:
			i.t.Fatalf("waited %s in vain: %s; quorate dev said:\n%s%s", patience, what, i.stdout.String(), i.stderr.String())
		case <-tick.C:
		}
	}
}

// kill ends the process as a crash would.
func (i *instance) kill() {
	select {
	case <-i.done:
		return
	default:
	}
	if err := i.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		i.t.Error(err)
	}
	<-i.done
}

// stop ends the process as an operator would and checks that it ends well.
func (i *instance) stop() {
	i.t.Helper()
	i.stopBy(syscall.SIGTERM)
}

// stopBy sends the process a signal and checks that it ends well.
func (i *instance) stopBy(s syscall.Signal) {
	i.t.Helper()
	if err := i.cmd.Process.Signal(s); err != nil {
		i.t.Fatal(err)
	}
	select {
	case <-i.done:
	case <-time.After(patience):
		i.t.Fatalf("%s did not stop quorate dev in %s", s, patience)
	}
	if i.err != nil {
		i.t.Errorf("quorate dev ended with %v after signal %s; it said:\n%s", i.err, s, i.stderr.String())
	}
}

// answer is what a CLI call printed and how it ended.
type answer struct {
	stdout, stderr string
	exit           int
}

// cli runs a client verb.
func (i *instance) cli(args ...string) answer {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), "QUORATE_SERVER="+i.ports.HTTP, "QUORATE_TOKEN_FILE="+i.ports.TokenFile)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exited, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		i.t.Fatalf("quorate %s: %v (%v)", strings.Join(args, " "), err, exited)
	}
	a := answer{stdout: stdout.String(), stderr: stderr.String(), exit: cmd.ProcessState.ExitCode()}
	for _, text := range []string{a.stdout, a.stderr} {
		if strings.Contains(text, "goroutine ") || strings.Contains(text, "panic:") {
			i.t.Errorf("quorate %s printed a stack trace:\n%s", strings.Join(args, " "), text)
		}
	}
	return a
}

// ok runs a client verb that must end with an exit code and returns what it printed.
func (i *instance) ok(exit int, args ...string) string {
	i.t.Helper()
	a := i.cli(args...)
	if a.exit != exit {
		i.t.Fatalf("quorate %s: exit %d, want %d\n%s%s", strings.Join(args, " "), a.exit, exit, a.stdout, a.stderr)
	}
	return a.stdout
}

// document runs a client verb with -o json and decodes the last line, which is the whole document where there is one.
func (i *instance) document(exit int, args ...string) map[string]any {
	i.t.Helper()
	out := strings.TrimSpace(i.ok(exit, append(args, "-o", "json")...))
	var m map[string]any
	if json.Unmarshal([]byte(out), &m) == nil {
		return m
	}
	lines := strings.Split(out, "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &m); err != nil {
		i.t.Fatalf("quorate %s -o json ended with no JSON: %v\n%s", strings.Join(args, " "), err, out)
	}
	return m
}

// rest calls the REST API with the admin's token and returns the status and the decoded body.
func (i *instance) rest(method, path, body string) (int, map[string]any) {
	i.t.Helper()
	code, raw, _ := i.http(method, path, strings.NewReader(body), i.token())
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		i.t.Fatalf("%s %s answered %d and no JSON: %v\n%s", method, path, code, err, raw)
	}
	return code, m
}

func (i *instance) http(method, path string, body io.Reader, token string) (int, []byte, http.Header) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, i.ports.HTTP+path, body)
	if err != nil {
		i.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		i.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		i.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp.StatusCode, raw, resp.Header
}

func (i *instance) token() string {
	i.t.Helper()
	b, err := os.ReadFile(i.ports.TokenFile)
	if err != nil {
		i.t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}
