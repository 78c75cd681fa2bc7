package serve_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/serve"
)

func TestConnectionsFitTheFilesThatMayBeOpen(t *testing.T) {
	t.Parallel()
	usual := serve.DefaultConfig().Calls.Connections
	for _, test := range []struct {
		set, files, most int
		level            slog.Level
	}{
		{usual, 1024, 512, slog.LevelInfo}, // nobody has asked for more
		{20000, 1024, 512, slog.LevelWarn},
		{usual, 1 << 20, usual, slog.LevelInfo},
	} {
		if most, level := serve.Connections(&serve.Calls{Connections: test.set}, test.files); most != test.most || level != test.level {
			t.Errorf("calls.connections %d with %d files = %d, %s, want %d, %s", test.set, test.files, most, level, test.most, test.level)
		}
	}
}

// TestACallerHasItsShareOfEveryDoor counts calls over REST and calls that pass over JSON-RPC together.
func TestACallerHasItsShareOfEveryDoor(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Agents.AllowLoopback, c.Agents.PassThrough = true, []string{"echo"}
	c.Calls.PerSecond, c.Calls.Burst = 0.001, 4
	p := start(t, c)
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		return call(t, new(http.Client), method, "http://"+p.addr+path, admin, body)
	}
	if code, told := ask("POST", "/v1/agents:register", fmt.Sprintf(`{"cardUri":%q}`, talker(t, "echo"))); code != http.StatusOK {
		t.Fatalf("POST /v1/agents:register = %d %s, want 200", code, told)
	}
	pass := func() (int, string) {
		t.Helper()
		return ask("POST", "/agents/echo?A2A-Version=1.0", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`)
	}
	for i := range 2 {
		if code, told := pass(); code != http.StatusOK || strings.Contains(told, `"error"`) {
			t.Errorf("call %d that passes = %d %s, want it answered", i+1, code, told)
		}
	}
	if code, told := ask("GET", "/v1/caller", ""); code != http.StatusOK {
		t.Errorf("GET /v1/caller = %d %s, want 200: the fourth call", code, told)
	}
	if code, told := pass(); !strings.Contains(told, "RATE_LIMITED") {
		t.Errorf("the fifth call, which passes = %d %s, want RATE_LIMITED", code, told)
	}
	if code, told := ask("GET", "/v1/caller", ""); code != http.StatusTooManyRequests || !strings.Contains(told, "RATE_LIMITED") {
		t.Errorf("GET /v1/caller = %d %s, want 429 RATE_LIMITED", code, told)
	}
}

// TestConnectionsAreLimitedOnBothPortsTogether opens more connections than there may be from one address, and stays connected.
func TestConnectionsAreLimitedOnBothPortsTogether(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	c.Calls.Connections = 16
	p := start(t, c)
	answered := 0
	for range 10 {
		for addr, said := range map[string]string{
			p.addr: "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
			p.grpc: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00", // with settings
		} {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			_, _ = io.WriteString(conn, said) // it may be closed already
			if _, err := conn.Read(make([]byte, 1)); err == nil {
				answered++
			}
		}
	}
	if answered < 6 || answered > 8 { // start may not have closed all of its own yet
		t.Errorf("%d of 20 connections are answered, want 8: half of all", answered)
	}
}

// TestOneCallerMayOpenHalfOfAllCalls keeps streams open.
func TestOneCallerMayOpenHalfOfAllCalls(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Calls.Max = 16
	p := start(t, c)
	for i := range 8 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.addr+"/v1/agents:watch", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+admin.Reveal())
		stream, err := new(http.Client).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = stream.Body.Close() })
		if stream.StatusCode != http.StatusOK {
			t.Errorf("stream %d = %s, want 200", i+1, stream.Status)
		}
	}
	if code, told := call(t, new(http.Client), "GET", "http://"+p.addr+"/v1/caller", admin, ""); code != http.StatusTooManyRequests || !strings.Contains(told, "CALLS_TOO_MANY") {
		t.Errorf("GET /v1/caller beside 8 streams = %d %s, want 429 CALLS_TOO_MANY", code, told)
	}
}

// TestOneAgentMayHaveHalfOfAllExchanges gives an agent that never answers more tasks than that.
func TestOneAgentMayHaveHalfOfAllExchanges(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Agents.AllowLoopback, c.Agents.MaxExchanges = true, 16
	var silent *httptest.Server
	silent = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = fmt.Fprintf(w, cardOfTalker, "silent", silent.URL)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the end of the connection is not noticed
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	p := start(t, c)
	call(t, new(http.Client), "POST", "http://"+p.addr+"/v1/agents:register", admin, fmt.Sprintf(`{"cardUri":%q}`, silent.URL))
	for range 9 {
		if code, told := call(t, new(http.Client), "POST", "http://"+p.addr+"/v1/tasks", admin, `{"route":{"agent":"silent"},"message":{"parts":[{"text":"hi"}]}}`); code != http.StatusOK {
			t.Fatalf("POST /v1/tasks = %d %s, want 200", code, told)
		}
	}
	until(t, p, `quorate_exchanges\{.*\} 8\n`)
	until(t, p, `quorate_tasks_in_line\{.*\} 1\n`)
}
