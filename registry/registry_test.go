package registry_test

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

const tenant = "default"

// clock is a time that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time // guarded by mu
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 16, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// web is a fake internet: it answers GET of a URL with what tests put there, and anything else with an error.
type web struct {
	mu    sync.Mutex
	pages map[string]string // guarded by mu
	reads map[string]int    // guarded by mu
}

func newWeb() *web { return &web{pages: make(map[string]string), reads: make(map[string]int)} }

func (w *web) serve(url, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[url] = body
}

func (w *web) count(url string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reads[url]
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads[r.URL.String()]++
	body, ok := w.pages[r.URL.String()]
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Request: r, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

func (w *web) client() *http.Client { return &http.Client{Transport: w} }

// open returns a registry over an embedded store of its own.
func open(tb testing.TB, o registry.Options) *registry.Registry {
	tb.Helper()
	db, err := boltdb.Open(filepath.Join(tb.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		tb.Fatalf("Open() = %v, want no error", err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("Close() = %v, want no error", err)
		}
	})
	store, err := embedded.New(tb.Context(), db)
	if err != nil {
		tb.Fatalf("New() = %v, want no error", err)
	}
	return registry.New(store, o)
}

// named returns a valid card of the name with the skills.
func named(name string, skills ...string) []byte {
	var list []string
	for _, id := range skills {
		list = append(list, `{"id":"`+id+`"}`)
	}
	var b bytes.Buffer
	b.WriteString(`{"name":"` + name + `","version":"1.0.0","url":"https://` + name + `.example/rpc","skills":[` + strings.Join(list, ",") + `]}`)
	return b.Bytes()
}

func register(t *testing.T, r *registry.Registry, name string, skills ...string) registry.Agent {
	t.Helper()
	agent, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named(name, skills...)})
	if err != nil {
		t.Fatalf("Register(%s) = %v, want no error", name, err)
	}
	return agent
}

func statusOf(t *testing.T, r *registry.Registry, name string) registry.Status {
	t.Helper()
	agent, err := r.Agent(t.Context(), tenant, name)
	if err != nil {
		t.Fatalf("Agent(%s) = %v, want no error", name, err)
	}
	return agent.Status
}
