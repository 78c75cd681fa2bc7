package mcp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/mcp"
	"github.com/quorate/quorate/platform/netguard"
)

// visited is a site that knows who comes again, and the URL of an MCP server that reads it.
func visited(t *testing.T) (site, server string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if _, err := r.Cookie("id"); err == nil {
			_, _ = io.WriteString(w, "known")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		_, _ = io.WriteString(w, "nobody")
	}))
	t.Cleanup(s.Close)
	host := s.Listener.Addr().String()
	f, err := webfetch.New(webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, IgnoreRobots: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	served := httptest.NewServer(mcp.New(f, mcp.Options{}).Wrap(http.NotFoundHandler()))
	t.Cleanup(served.Close)
	return s.URL, served.URL + mcp.Path
}

// post sends one request as a client with this session would, and returns the answer.
func post(t *testing.T, server, session, version string, message any) (answer map[string]any, given string) {
	t.Helper()
	return postAs(t, server, map[string]string{"Mcp-Session-Id": session, "Mcp-Protocol-Version": version}, message)
}

// postAs is post with any headers.
func postAs(t *testing.T, server string, headers map[string]string, message any) (answer map[string]any, given string) {
	t.Helper()
	body, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range headers {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatalf("the answer to %s is %s and no JSON: %v", body, resp.Status, err)
	}
	return answer, resp.Header.Get("Mcp-Session-Id")
}

func TestASessionBelongsToItsClient(t *testing.T) {
	site, server := visited(t)
	const version = "2025-06-18"
	begin := func() string {
		_, id := post(t, server, "", "", map[string]any{
			"jsonrpc": "2.0", "id": 1, "method": "initialize",
			"params": map[string]any{"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}},
		})
		return id
	}
	ask := func(id string) any {
		answer, given := post(t, server, id, version, map[string]any{
			"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{"name": "fetch_url", "arguments": map[string]any{"url": site, "session": "s"}},
		})
		if given != "" {
			t.Errorf("a later request is given the session %q, want none", given)
		}
		result, _ := answer["result"].(map[string]any)
		page, _ := result["structuredContent"].(map[string]any)
		if page == nil {
			return answer["error"]
		}
		return page["content"]
	}
	ann, bob := begin(), begin()
	if len(ann) < 20 || ann == bob {
		t.Errorf("two clients are given the sessions %q and %q, want two that nobody guesses", ann, bob)
	}
	for _, step := range []struct{ id, want string }{{ann, "nobody"}, {bob, "nobody"}, {ann, "known"}, {bob, "known"}, {"", "nobody"}, {"", "known"}} {
		if got := ask(step.id); got != step.want {
			t.Errorf("the client %q reads %v, want %s", step.id, got, step.want)
		}
	}
	if failed, _ := ask(strings.Repeat("x", 129)).(map[string]any); failed == nil {
		t.Error("a client with an id of 129 bytes is answered, want an error")
	}
}

func TestASessionWithoutAnIDBelongsToACredential(t *testing.T) {
	site, server := visited(t)
	for _, step := range []struct{ shown, want string }{
		{"Bearer ann", "nobody"}, {"Bearer bob", "nobody"}, {"", "nobody"}, {"Bearer ann", "known"}, {"Bearer bob", "known"}, {"", "known"},
	} {
		answer, _ := postAs(t, server, map[string]string{"Mcp-Protocol-Version": "2025-06-18", "Authorization": step.shown}, map[string]any{
			"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{"name": "fetch_url", "arguments": map[string]any{"url": site, "session": "s"}},
		})
		result, _ := answer["result"].(map[string]any)
		if page, _ := result["structuredContent"].(map[string]any); page == nil || page["content"] != step.want {
			t.Errorf("the client that shows %q reads %v, want %s", step.shown, answer, step.want)
		}
	}
}

func TestAClientOfTheSDKKeepsItsSession(t *testing.T) {
	site, server := visited(t)
	for range 2 {
		c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: server}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"nobody", "known"} {
			if _, page, _ := call(t, c, "fetch_url", map[string]any{"url": site, "session": "s"}); page["content"] != want {
				t.Errorf("the client reads %v, want %s", page["content"], want)
			}
		}
		if err := c.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	}
}
