package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator/cli"
	"github.com/quorate/quorate/platform/dynamotest"
)

var update = flag.Bool("update", false, "write the golden files")

// TestMain takes away what a developer's shell says about servers and tokens.
func TestMain(m *testing.M) {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "QUORATE_") && !strings.HasPrefix(name, "QUORATE_TEST_") && name != "QUORATE_CI" {
			_ = os.Unsetenv(name) // the name is valid: it was set
		}
	}
	os.Exit(dynamotest.Main(m))
}

// gateway is a server that answers as the REST gateway does. Each call takes the next answer of its route, the last one for good.
type gateway struct {
	url   string
	token string // name of a file that holds a token

	mu       sync.Mutex
	answers  map[string][]http.HandlerFunc // guarded by mu
	requests []string                      // guarded by mu: method, URL and body
}

func newGateway(t *testing.T, answers map[string][]http.HandlerFunc) *gateway {
	t.Helper()
	g := &gateway{answers: answers, token: write(t, "token", "quorate_test_abc\n")}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Authorization") != "Bearer quorate_test_abc" {
			t.Errorf("%s %s: body %v, token %q, want the token of the file", r.Method, r.URL, err, r.Header.Get("Authorization"))
		}
		var compact bytes.Buffer
		if json.Compact(&compact, body) == nil { // protojson puts spaces where it likes, so that nobody compares its text
			body = compact.Bytes()
		}
		g.next(strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)), r)(w, r)
	}))
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

func (g *gateway) next(request string, r *http.Request) http.HandlerFunc {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.requests = append(g.requests, request)
	route := r.Method + " " + r.URL.EscapedPath()
	list := g.answers[route]
	if len(list) == 0 {
		return refuse(http.StatusNotFound, 5, "ROUTE_NOT_FOUND", route)
	}
	if len(list) > 1 {
		g.answers[route] = list[1:]
	}
	return list[0]
}

func (g *gateway) seen() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.requests
}

// run calls Main as a client of g.
func (g *gateway) run(t *testing.T, stdin string, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	return run(t.Context(), stdin, append(args, "--server", g.url, "--token-file", g.token)...)
}

func run(ctx context.Context, stdin string, args ...string) (exit int, stdout, stderr string) {
	var out, errs bytes.Buffer
	exit = cli.Main(ctx, args, strings.NewReader(stdin), &out, &errs)
	return exit, out.String(), errs.String()
}

// answer is one or more JSON answers for one route.
func answer(bodies ...string) []http.HandlerFunc {
	var list []http.HandlerFunc
	for _, body := range bodies {
		list = append(list, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		})
	}
	return list
}

// refuse answers a google.rpc.Status.
func refuse(status, code int, reason, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, fmt.Sprintf(`{"code":%d,"message":%q,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q,"domain":"quorate"}]}`,
			code, message, reason))
	}
}

// stream answers server-sent events and then ends, or breaks the connection.
func stream(breaks bool, events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range events {
			_, _ = io.WriteString(w, "data: "+strings.ReplaceAll(event, "\n", " ")+"\n\n")
		}
		_ = http.NewResponseController(w).Flush()
		if breaks {
			panic(http.ErrAbortHandler)
		}
	}
}

// write makes a file that only its owner can read.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// golden compares got with a file of testdata, or writes that with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); -update writes it:\n%s", path, diff)
	}
}
