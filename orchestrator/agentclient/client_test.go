package agentclient_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/agents/echo"
	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/registry/agentcard"
)

var bindings = []string{agentcard.BindingGRPC, agentcard.BindingJSONRPC, agentcard.BindingHTTPJSON}

func pool(t *testing.T) *agentclient.Pool {
	t.Helper()
	guard := &netguard.Policy{AllowLoopback: true}
	p := agentclient.NewPool(guard.DialContext, guard.Client(netguard.ClientOptions{}), nil)
	t.Cleanup(p.Close)
	return p
}

// serveEcho runs the echo agent on a real listener and returns its card as the registry reads it.
func serveEcho(t *testing.T) agentcard.Card {
	t.Helper()
	return read(t, kittest.Start(t, echo.New().Config()).CardURL())
}

func read(t *testing.T, url string) agentcard.Card {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	card, _, _, err := agentcard.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return card
}

// only leaves one binding on a card.
func only(card agentcard.Card, binding string) agentcard.Card {
	var kept []agentcard.Interface
	for _, in := range card.Interfaces {
		if in.Binding == binding {
			kept = append(kept, in)
		}
	}
	card.Interfaces = kept
	return card
}

func message(id, s string) *a2apb.Message {
	return &a2apb.Message{MessageId: id, Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: s}}}}
}

func TestARealAgentAnswersOverEveryBinding(t *testing.T) {
	card := serveEcho(t)
	p := pool(t)
	for _, binding := range bindings {
		for name, stream := range map[string]bool{"streaming": true, "asked once": false} {
			t.Run(binding+" "+name, func(t *testing.T) {
				c, got, err := p.Connect("echo", only(card, binding))
				if err != nil || got != binding {
					t.Fatalf("Connect() = %s, %v, want %s", got, err, binding)
				}
				id := ""
				err = c.Send(t.Context(), message(binding+name, "hello"), stream, func(r *a2apb.StreamResponse) error {
					for _, x := range []string{r.GetTask().GetId(), r.GetStatusUpdate().GetTaskId(), r.GetArtifactUpdate().GetTaskId()} {
						if x != "" {
							id = x
						}
					}
					return nil
				})
				if err != nil || id == "" {
					t.Fatalf("Send() = %v with task id %q, want a task", err, id)
				}
				task := await(t, c, id)
				if got := task.GetArtifacts()[0].GetParts()[0].GetText(); got != "hello" || len(task.GetHistory()) > 0 {
					t.Errorf("artifact = %q with history %v, want hello with none, which was not asked for", got, task.GetHistory())
				}
				if task, err = c.Task(t.Context(), id, 1); err != nil || len(task.GetHistory()) != 1 {
					t.Errorf("Task() with a message of its history = %v, %v", task, err)
				}
			})
		}
	}
}

// await polls until the agent's task is completed.
func await(t *testing.T, c agentclient.Client, id string) *a2apb.Task {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		task, err := c.Task(ctx, id, 0)
		if err != nil {
			t.Fatalf("Task(%s) = %v", id, err)
		}
		if task.GetStatus().GetState() == a2apb.TaskState_TASK_STATE_COMPLETED {
			return task
		}
		<-ticker.C
	}
}

func TestCancelAndSubscribeReachARealAgentOverEveryBinding(t *testing.T) {
	card := serveEcho(t)
	p := pool(t)
	for _, binding := range bindings {
		t.Run(binding, func(t *testing.T) {
			c, _, err := p.Connect("echo", only(card, binding))
			if err != nil {
				t.Fatal(err)
			}
			var id string
			if err := c.Send(t.Context(), message("hang"+binding, "hang"), false, func(r *a2apb.StreamResponse) error {
				id = r.GetTask().GetId()
				return nil
			}); err != nil {
				t.Fatalf("Send() = %v", err)
			}
			last := make(chan a2apb.TaskState, 1)
			followed := make(chan error, 1)
			first := make(chan struct{})
			go func() {
				state, once := a2apb.TaskState_TASK_STATE_UNSPECIFIED, sync.OnceFunc(func() { close(first) })
				err := c.Subscribe(t.Context(), id, func(r *a2apb.StreamResponse) error {
					if s := r.GetTask().GetStatus().GetState() | r.GetStatusUpdate().GetStatus().GetState(); s != 0 {
						state = s
					}
					once()
					return nil
				})
				once()
				last <- state
				followed <- err
			}()
			<-first
			if _, err := c.Cancel(t.Context(), id, nil); err != nil {
				t.Fatalf("Cancel() = %v", err)
			}
			if err := <-followed; err != nil {
				t.Errorf("Subscribe() = %v", err)
			}
			if got := <-last; got != a2apb.TaskState_TASK_STATE_CANCELED {
				t.Errorf("the followed stream ended in state %s, want canceled", got)
			}
		})
	}
}

func TestAnUnknownTaskIsSaidToBeUnknown(t *testing.T) {
	card := serveEcho(t)
	p := pool(t)
	for _, binding := range bindings {
		t.Run(binding, func(t *testing.T) {
			c, _, err := p.Connect("echo", only(card, binding))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Task(t.Context(), "nosuchtask", 0); fault.ReasonOf(err) != agentclient.ReasonTaskNotFound {
				t.Errorf("Task(unknown) = %v, want %s", err, agentclient.ReasonTaskNotFound)
			}
		})
	}
}

// TestTheCardsOrderChoosesTheInterface holds what A2A demands of clients (section 8.3.2).
func TestTheCardsOrderChoosesTheInterface(t *testing.T) {
	in := func(binding, version string) agentcard.Interface {
		return agentcard.Interface{URL: "http://127.0.0.1:1", Binding: binding, ProtocolVersion: version}
	}
	tests := map[string]struct {
		offers []agentcard.Interface
		want   string
	}{
		"gRPC last":            {[]agentcard.Interface{in("JSONRPC", "1.0"), in("GRPC", "1.0")}, "JSONRPC"},
		"gRPC first":           {[]agentcard.Interface{in("GRPC", "1.0"), in("JSONRPC", "1.0")}, "GRPC"},
		"one unknown before":   {[]agentcard.Interface{in("https://example.com/carrier-pigeon", "1.0"), in("JSONRPC", "2.0"), in("HTTP+JSON", "1.0"), in("GRPC", "1.0")}, "HTTP+JSON"},
		"two over HTTP":        {[]agentcard.Interface{in("HTTP+JSON", "1.0"), in("JSONRPC", "1.0")}, "HTTP+JSON"},
		"0.3":                  {[]agentcard.Interface{in("GRPC", "0.3"), in("JSONRPC", "0.3.0")}, "JSONRPC"},
		"a version to come":    {[]agentcard.Interface{in("JSONRPC", "2.0")}, ""},
		"a binding of its own": {[]agentcard.Interface{in("https://example.com/carrier-pigeon", "1.0")}, ""},
		"nothing":              {nil, ""},
	}
	p := pool(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, got, err := p.Connect("a", agentcard.Card{Interfaces: tt.offers})
			if got != tt.want || (tt.want == "") != (fault.ReasonOf(err) == "AGENT_INTERFACE_UNSUPPORTED") {
				t.Errorf("Connect() = %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestWhatIsNotA2AIsAClearError(t *testing.T) {
	tests := map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"HTML": {func(w http.ResponseWriter, _ *http.Request) { write(w, "text/html", "<html>") }, agentclient.ReasonAnswerInvalid},
		"a JSON-RPC error": {func(w http.ResponseWriter, _ *http.Request) {
			write(w, "application/json", `{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"no"}}`)
		}, agentclient.ReasonRefused},
		"an overloaded agent":  {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "later", http.StatusServiceUnavailable) }, agentclient.ReasonUnreachable},
		"an agent with a lock": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who are you", http.StatusUnauthorized) }, agentclient.ReasonDenied},
		"an endless answer":    {endless, agentclient.ReasonAnswerInvalid},
		"an endless event":     {endlessEvent, agentclient.ReasonAnswerInvalid},
		"an answer cut short": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			write(w, "application/json", `{"jso`)
		}, agentclient.ReasonUnreachable},
		"a task that is gone": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable) // A2A's own code says more
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"1","error":{"code":-32001,"message":"no"}}`)
		}, agentclient.ReasonTaskNotFound},
		"an overloaded agent that answers": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"1","error":{"code":-32000,"message":"later"}}`)
		}, agentclient.ReasonUnreachable},
		"an overloaded agent that says nothing": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{}`)
		}, agentclient.ReasonUnreachable},
		"no result": {func(w http.ResponseWriter, _ *http.Request) {
			write(w, "application/json", `{"jsonrpc":"2.0","id":"1"}`)
		}, agentclient.ReasonAnswerInvalid},
		"a result of no meaning": {func(w http.ResponseWriter, _ *http.Request) {
			write(w, "application/json", `{"jsonrpc":"2.0","id":"1","result":7}`)
		}, agentclient.ReasonAnswerInvalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tt.answer)
			defer server.Close()
			c, _, err := pool(t).Connect("odd", agentcard.Card{Interfaces: []agentcard.Interface{{URL: server.URL, Binding: "JSONRPC", ProtocolVersion: "1.0"}}})
			if err != nil {
				t.Fatal(err)
			}
			err = c.Send(t.Context(), message("m", "hello"), true, func(*a2apb.StreamResponse) error { return nil })
			if fault.ReasonOf(err) != tt.want {
				t.Errorf("Send() = %v, want %s", err, tt.want)
			}
		})
	}
}

func write(w http.ResponseWriter, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write([]byte(body))
}

func endless(w http.ResponseWriter, _ *http.Request) {
	chunk := []byte(strings.Repeat("x", 1<<20))
	for range 10 {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func endlessEvent(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	write(w, "text/event-stream", "data: ")
	endless(w, r)
}

func TestAnAgentThatIsNotThereIsUnreachable(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p := pool(t)
	for _, binding := range bindings {
		t.Run(binding, func(t *testing.T) {
			c, _, err := p.Connect("gone", agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://" + addr, Binding: binding, ProtocolVersion: "1.0"}}})
			if err != nil {
				t.Fatal(err)
			}
			err = c.Send(t.Context(), message("m", "hello"), true, func(*a2apb.StreamResponse) error { return nil })
			if !agentclient.Retryable(err) || !agentclient.NotTaken(err) {
				t.Errorf("Send() = %v, want it retryable, and certain that the agent has no message", err)
			}
		})
	}
}

func TestAnAddressThatIsBlockedIsSaidToBe(t *testing.T) {
	guard := &netguard.Policy{}
	p := agentclient.NewPool(guard.DialContext, guard.Client(netguard.ClientOptions{}), nil)
	t.Cleanup(p.Close)
	for _, binding := range bindings {
		t.Run(binding, func(t *testing.T) {
			c, _, err := p.Connect("inside", agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://127.0.0.1:1", Binding: binding, ProtocolVersion: "1.0"}}})
			if err != nil {
				t.Fatal(err)
			}
			err = c.Send(t.Context(), message("m", "hello"), true, func(*a2apb.StreamResponse) error { return nil })
			if fault.ReasonOf(err) != "ADDRESS_BLOCKED" {
				t.Errorf("Send() = %v, want ADDRESS_BLOCKED", err)
			}
		})
	}
}
