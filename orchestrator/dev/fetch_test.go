package dev_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"
)

// TestWebFetchHasItsWaysIn asks for the demo site's article over everything that speaks no A2A; the other tests do that.
func TestWebFetchHasItsWaysIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := start(t, dir)
	b, err := os.ReadFile(filepath.Join(dir, "ports.json"))
	if err != nil {
		t.Fatal(err)
	}
	var at struct {
		Webfetch string `json:"webfetch"`
		Site     string `json:"demo_site"`
	}
	if err := json.Unmarshal(b, &at); err != nil {
		t.Fatal(err)
	}
	page := at.Site + "/article"
	out, _ := metadata.FromOutgoingContext(r.ctx)
	tests := map[string]struct{ url, body, want string }{
		"REST": {r.http + "/v1/pages:fetch", `{"url":"` + page + `"}`, `"success":true`},
		"MCP": {
			at.Webfetch + "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch_url","arguments":{"url":"` + page + `"}}}`,
			`"trust":"untrusted"`,
		},
		"execute_task": {
			at.Webfetch + "/", `{"jsonrpc":"2.0","id":1,"method":"execute_task","params":{"messages":[{"role":"user","content":[{"type":"text","text":"` + page + `"}]}]}}`,
			`"role":"agent"`,
		},
		"a page that needs a browser, without one": {r.http + "/v1/pages:fetch", `{"url":"` + page + `","render":"always"}`, `there is no browser here`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, test.url, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", "application/json, text/event-stream")
			request.Header.Set("Authorization", out.Get("authorization")[0])
			answer, err := new(http.Client).Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			body, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(string(body), ": ", ":"); !strings.Contains(got, test.want) || name != "a page that needs a browser, without one" && !strings.Contains(got, "How a quorum decides") {
				t.Errorf("POST %s = %d %s, want %s", test.url, answer.StatusCode, got, test.want)
			}
		})
	}
}
