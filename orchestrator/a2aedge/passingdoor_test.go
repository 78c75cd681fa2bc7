package a2aedge_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// countingGate counts the calls, and the streams among them, that are not over.
type countingGate struct {
	openGate
	calls, streams int // by one request at a time
}

func (g *countingGate) Enter(context.Context) (func(), error) {
	g.calls++
	return func() { g.calls-- }, nil
}

func (g *countingGate) WhileAdmitted(ctx context.Context, _ http.Header, _ string) (context.Context, func()) {
	g.streams++
	return ctx, func() { g.streams-- }
}

// TestAPassageThatIsOverLeavesNothingOpen has passages end well and badly. A call that stayed open would use up what its caller may have.
func TestAPassageThatIsOverLeavesNothingOpen(t *testing.T) {
	const result = `{"jsonrpc":"2.0","id":1,"result":{}}`
	whole := func(w http.ResponseWriter) { _, _ = io.WriteString(w, result) }
	events := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+result+"\n\n")
		_ = http.NewResponseController(w).Flush()
	}
	cut := func(w http.ResponseWriter) { events(w); panic(http.ErrAbortHandler) }
	for name, x := range map[string]struct {
		method string
		agent  func(http.ResponseWriter)
		broken bool // the connection to the agent is of no use any more
	}{
		"an answer":                  {"SendMessage", whole, false},
		"an answer that is cut":      {"SendMessage", cut, true},
		"an answer beyond bounds":    {"SendMessage", func(w http.ResponseWriter) { _, _ = io.WriteString(w, strings.Repeat("x", 9<<20)) }, true},
		"a stream":                   {"SendStreamingMessage", events, false},
		"a stream that is cut":       {"SendStreamingMessage", cut, true},
		"an answer and not a stream": {"SendStreamingMessage", whole, false},
	} {
		t.Run(name, func(t *testing.T) {
			agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { x.agent(w) }))
			t.Cleanup(agent.Close)
			var toAgent net.Conn
			gate := &countingGate{}
			h := passingDoor(noTask, agent.URL, func(ctx context.Context, network, addr string) (conn net.Conn, err error) {
				toAgent, err = new(net.Dialer).DialContext(ctx, network, addr)
				return toAgent, err
			}, gate)
			callDoor(t, h, x.method, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`)
			if gate.calls != 0 || gate.streams != 0 {
				t.Errorf("%d calls and %d streams stay open, want none", gate.calls, gate.streams)
			}
			if toAgent == nil {
				t.Fatal("the call did not pass")
			}
			if closed := toAgent.SetDeadline(time.Time{}) != nil; closed != x.broken {
				t.Errorf("the connection to the agent is closed: %t, want %t", closed, x.broken)
			}
		})
	}
}

// callDoor calls a method over JSON-RPC at the door of the agent echo and returns the answer.
func callDoor(t *testing.T, h http.Handler, method, params string) string {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), "POST", "/agents/echo", strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec.Body.String()
}

// TestATaskIsWhoseItIsNotWhoseItLooksLike asks for tasks with ids like Quorate's own: an agent may be another Quorate.
func TestATaskIsWhoseItIsNotWhoseItLooksLike(t *testing.T) {
	id := orchestrator.TaskID("", "", "")
	asked := 0
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"id":"of the agent"}}`)
	}))
	t.Cleanup(agent.Close)
	for name, x := range map[string]struct {
		missing error
		want    string
		passes  int
	}{
		"Quorate does not know it": {noTask.missing, "of the agent", 1},
		"Quorate knows it":         {nil, `"result"`, 0},
		"Quorate cannot tell":      {fault.New(fault.Unavailable, "STORE_UNREACHABLE", "the store is away"), "STORE_UNREACHABLE", 0},
	} {
		t.Run(name, func(t *testing.T) {
			asked = 0
			h := passingDoor(tasks{missing: x.missing}, agent.URL, new(net.Dialer).DialContext, openGate{})
			if got := callDoor(t, h, "GetTask", `{"id":"`+id+`"}`); !strings.Contains(got, x.want) || asked != x.passes {
				t.Errorf("GetTask() = %s, with the agent asked %d times, want %q and %d times", got, asked, x.want, x.passes)
			}
		})
	}
}
