package kit_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/kit/kittest"
)

// TestAReboundNameDoesNotReachALocalAgent calls an agent on loopback as a page does whose name was made to point to this machine. To the browser that page is of
// the agent's own origin.
func TestAReboundNameDoesNotReachALocalAgent(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	kittest.Start(t, kit.Config{
		Name: "local", Description: "On this machine only.", Version: "1.0.0", Handler: echo, Listener: listener, PublicURL: "https://Agents.example.com/one",
		Wrap: func(next http.Handler) http.Handler {
			mux := http.NewServeMux()
			mux.Handle("/", next)
			mux.HandleFunc("/mcp", func(http.ResponseWriter, *http.Request) {})
			return mux
		},
	})
	at := listener.Addr().String()
	_, port, _ := strings.Cut(at, ":")
	tests := map[string]struct {
		host string
		want int
	}{
		"a rebound name":                       {"evil.example:" + port, http.StatusMisdirectedRequest},
		"a rebound name without a port":        {"evil.example", http.StatusMisdirectedRequest},
		"a name that begins like ours":         {"localhost.evil.example", http.StatusMisdirectedRequest},
		"an address of another machine":        {"192.0.2.1:" + port, http.StatusMisdirectedRequest},
		"the listener's address":               {at, http.StatusOK},
		"localhost":                            {"LocalHost.:" + port, http.StatusOK},
		"loopback in IPv6":                     {"[::1]:" + port, http.StatusOK},
		"the host under which others reach it": {"agents.example.com", http.StatusOK},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/.well-known/agent-card.json", "/rest/tasks", "/mcp"} {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+path, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				request.Host = test.host
				request.Header.Set("A2A-Version", "1.0")
				answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
				if err != nil {
					t.Fatalf("GET %s from %s = %v", path, test.host, err)
				}
				_ = answer.Body.Close() // only the status matters
				if answer.StatusCode != test.want {
					t.Errorf("GET %s from %s = %d, want %d", path, test.host, answer.StatusCode, test.want)
				}
			}
		})
	}
}
