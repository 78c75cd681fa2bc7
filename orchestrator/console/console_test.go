package console_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/console"
)

// mux serves the console and nothing else.
func mux(t *testing.T) (m *http.ServeMux, paths []string) {
	t.Helper()
	handlers, err := console.Handlers()
	if err != nil {
		t.Fatal(err)
	}
	m = http.NewServeMux()
	for pattern, h := range handlers {
		m.Handle(pattern, h)
		paths = append(paths, strings.TrimSuffix(strings.TrimPrefix(pattern, "GET "), "{$}"))
	}
	return m, paths
}

func get(t *testing.T, m *http.ServeMux, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header = header
	m.ServeHTTP(w, r)
	return w
}

func TestEveryFileComesWithWhatProtectsIt(t *testing.T) {
	t.Parallel()
	m, paths := mux(t)
	if !slices.Contains(paths, "/") || !slices.Contains(paths, "/console/app.js") {
		t.Fatalf("Handlers() serve %q, want / and /console/app.js among them", paths)
	}
	for _, path := range paths {
		header := get(t, m, path, nil).Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("GET %s: %s: %s, want %s", path, name, got, want)
			}
		}
		policy := strings.Split(header.Get("Content-Security-Policy"), "; ")
		for _, want := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
			"form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
		} {
			if !slices.Contains(policy, want) {
				t.Errorf("GET %s: the policy %q lacks %s", path, policy, want)
			}
		}
	}
}

func TestAFileThatTheBrowserHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	m, paths := mux(t)
	seen := make(map[string]string)
	for _, path := range paths {
		etag := get(t, m, path, nil).Header().Get("ETag")
		if other, ok := seen[etag]; ok || etag == "" {
			t.Errorf("GET %s: ETag %s, want one of its own; %s has it", path, etag, other)
		}
		seen[etag] = path
		for tag, want := range map[string]int{etag: http.StatusNotModified, `"another"`: http.StatusOK} {
			if got := get(t, m, path, http.Header{"If-None-Match": {tag}}).Code; got != want {
				t.Errorf("GET %s with If-None-Match %s = %d, want %d", path, tag, got, want)
			}
		}
	}
}

func TestWhatIsNoFileIsNotTheConsoles(t *testing.T) {
	t.Parallel()
	m, _ := mux(t)
	for _, path := range []string{"/console", "/console/", "/console/nothing.js", "/console/index.html", "/console/../v1/agents", "/agents"} {
		if got := get(t, m, path, nil).Code; got == http.StatusOK {
			t.Errorf("GET %s = %d, want none of the console's answers", path, got)
		}
	}
}
