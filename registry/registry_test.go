package registry_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/registrytest"
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
	reads int               // guarded by mu; how many GETs there were
}

func newWeb() *web { return &web{pages: make(map[string]string)} }

func (w *web) serve(url, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[url] = body
}

func (w *web) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reads
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
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

// open returns an empty registry.
func open(t *testing.T, o registry.Options) *registry.Registry {
	t.Helper()
	return registrytest.New(t, o)
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

func register(t *testing.T, r *registry.Registry, name string) registry.Agent {
	t.Helper()
	agent, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named(name)})
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
