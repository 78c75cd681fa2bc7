package serve_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/logtest"
)

const patience = 30 * time.Second // nothing here takes long; more means that it hangs

// process is a `quorate serve` within the test.
type process struct {
	addr string // of HTTP
	grpc string
	log  *lines
	stop func() error
}

// lines is a log whose reader can wait for more.
type lines struct {
	logtest.Buffer
	more chan struct{} // holds a token after each write
}

func (l *lines) Write(p []byte) (int, error) {
	n, err := l.Buffer.Write(p)
	select {
	case l.more <- struct{}{}:
	default:
	}
	return n, err
}

// serving returns the addresses that the log tells, by protocol.
func (l *lines) serving() map[string]string {
	found := make(map[string]string)
	for line := range strings.Lines(l.String()) {
		var entry struct{ Msg, Protocol, Address string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "serving" {
			found[entry.Protocol] = entry.Address
		}
	}
	return found
}

// config returns a configuration on free ports with one admin's key.
func config(t *testing.T) (serve.Config, auth.Secret) {
	t.Helper()
	dir := t.TempDir()
	admin := auth.NewToken("api")
	line := auth.KeyLine(admin, auth.Principal{Name: "ops", Roles: []auth.Role{auth.RoleAdmin}})
	c := serve.DefaultConfig()
	c.HTTP.Addr, c.GRPC.Addr = "127.0.0.1:0", "127.0.0.1:0"
	c.Store.DataDir = filepath.Join(dir, "data")
	c.Auth.KeysFile = write(t, filepath.Join(dir, "keys"), line+"\n")
	return c, admin
}

func write(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// start runs a server until the test ends or stop is called.
func start(t *testing.T, c serve.Config) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p := &process{log: &lines{more: make(chan struct{}, 1)}}
	done := make(chan error, 1)
	go func() { done <- serve.Run(ctx, c, "0.0.0", p.log) }()
	p.stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() { _ = p.stop() })
	deadline := time.After(patience)
	for {
		if found := p.log.serving(); len(found) == 2 {
			p.addr, p.grpc = found["http"], found["grpc"]
			return p
		}
		select {
		case <-p.log.more:
		case err := <-done:
			done <- err
			t.Fatalf("Run() = %v, want it to serve; it said:\n%s", err, p.log)
		case <-deadline:
			t.Fatalf("Run() does not serve after %s; it said:\n%s", patience, p.log)
		}
	}
}

// await looks until it finds what it wants; look also returns what there is.
func await(t *testing.T, want string, look func() (got string, found bool)) {
	t.Helper()
	deadline, ticker := time.After(patience), time.NewTicker(20*time.Millisecond)
	defer ticker.Stop()
	for {
		got, found := look()
		if found {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("there is no %s after %s, but %s", want, patience, got)
		}
	}
}

// cardOfTalker is the card of an agent over JSON-RPC; its name and URL are to be put in.
const cardOfTalker = `{"name":%q,"description":"d","version":"1.0.0","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
	"skills":[],"supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`

// call makes a request and returns the status and the body.
func call(t *testing.T, client *http.Client, method, url string, token auth.Secret, body string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token.Reveal())
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s = %v, want an answer", method, url, err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%s %s = %v, want a body", method, url, err)
	}
	return answer.StatusCode, string(text)
}
