package agentauth_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/netguard"
)

// canary is a secret that nothing may show.
const canary = "c4n4ry-secret"

var policy = &netguard.Policy{AllowLoopback: true}

// write writes a file that only its owner may read.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	rewrite(t, file, text)
	return file
}

func rewrite(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// open reads entries, in YAML, that must be right.
func open(t *testing.T, entries string) *agentauth.Credentials {
	t.Helper()
	c, err := tryOpen(t, entries)
	if err != nil {
		t.Fatalf("Open(%s) = %v, want no error", entries, err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func tryOpen(t *testing.T, text string) (*agentauth.Credentials, error) {
	t.Helper()
	return agentauth.Open(agentauth.Config{File: write(t, text), Setting: "agents.credentialsFile", Policy: policy, Logger: slog.New(slog.DiscardHandler)})
}

// agent is a server that notes what it is shown.
type agent struct {
	*httptest.Server

	mu     sync.Mutex
	seen   []*http.Request // guarded by mu
	answer http.HandlerFunc
}

func serve(t *testing.T, answer http.HandlerFunc) *agent {
	t.Helper()
	a := &agent{answer: answer}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		noted := r.Clone(context.WithoutCancel(r.Context()))
		noted.Body = io.NopCloser(strings.NewReader(string(body)))
		a.mu.Lock()
		a.seen = append(a.seen, noted)
		a.mu.Unlock()
		a.answer(w, noted)
	}))
	a.Config.SetKeepAlivesEnabled(false) // connections that wait would keep the clock of a test from going on
	t.Cleanup(a.Close)
	return a
}

func ok(http.ResponseWriter, *http.Request) {}

// last returns what was asked last, and how often anything was.
func (a *agent) last(t *testing.T) (*http.Request, int) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.seen) == 0 {
		t.Fatal("nobody asked the agent, want a request")
	}
	return a.seen[len(a.seen)-1], len(a.seen)
}

// post sends a body and returns the status.
func post(ctx context.Context, c *agentauth.Credentials, url string) (int, error) {
	client := c.Client(policy.Client(netguard.ClientOptions{MaxRedirects: 3}))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("body"))
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}
