package a2aedge_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/a2aedge"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// FuzzPassing sends any body to the door of an agent whose calls pass. What passes is read by bytes here and decoded by the agent: both have to see
// the same request, without a tenant, and without the word that has a task tracked.
func FuzzPassing(f *testing.F) {
	const send = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]`
	for _, seed := range []string{
		send + `}}}`, send + `,"metadata":{"a":1}}}}`, send + `,"metadata":{"` + taskExtension + `":{}}}}}`, send + `},"tenant":"echo"}}`,
		send + `,"metadata":{"` + strings.ReplaceAll(taskExtension, "/", `\/`) + `":{}}}}}`, send + `,"task\u0049d":"x"},"message":{}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"SendMessage","params":{"tenant":"other","message":{"taskId":"x","task_id":"y"}},"method":"GetTask"}`,
	} {
		f.Add(seed)
	}
	var passed []byte // by the one request at a time
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		passed, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	f.Cleanup(agent.Close)
	h := passingDoor(noTask, agent.URL, new(net.Dialer).DialContext, openGate{})
	f.Fuzz(func(t *testing.T, body string) {
		passed = nil
		req := httptest.NewRequestWithContext(t.Context(), "POST", "/agents/echo", strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("A2A-Version", "1.0")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, req)
		if passed == nil {
			return // refused, or tracked
		}
		asked, got := readCall(t, []byte(body)), readCall(t, passed)
		if asked.name != got.name || asked.id != got.id {
			t.Errorf("the agent got %s with id %s, want %s with id %s:\n%s", got.name, got.id, asked.name, asked.id, passed)
		}
		if asked.message == nil {
			return // not that method, or what no decoder takes; nor does the agent
		}
		if got.message == nil {
			t.Fatalf("the agent got %s, want what can be decoded, as in %s", passed, body)
		}
		if got.message.GetTenant() != "" || got.message.GetMessage().GetMetadata().GetFields()[a2aedge.TaskExtension] != nil {
			t.Errorf("the agent got %s, want it without a tenant and without Quorate's word", passed)
		}
		asked.message.Tenant = ""
		if diff := cmp.Diff(asked.message, got.message, protocmp.Transform()); diff != "" {
			t.Errorf("the agent got another message than was sent (-sent +got):\n%s", diff)
		}
	})
}

// seenCall is a JSON-RPC request as a decoder sees it.
type seenCall struct {
	name, id string
	message  *a2apb.SendMessageRequest // nil: it is none
}

func readCall(t *testing.T, body []byte) (c seenCall) {
	t.Helper()
	var e map[string]json.RawMessage // a struct's names would match in any case
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatalf("what passed is no JSON: %v\n%s", err, body)
	}
	c = seenCall{name: string(e["method"]), id: string(e["id"])}
	message := &a2apb.SendMessageRequest{}
	if c.name == `"SendMessage"` && (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(e["params"], message) == nil {
		c.message = message
	}
	return c
}

// passingDoor is the door of one agent without rules, to whom every call passes that may. What may not is answered by agreeing.
func passingDoor(store tasks, url string, dial agentclient.Dial, gate a2aedge.Gate) *a2aedge.Handler {
	agent := &registry.Agent{Name: "echo", Card: agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: agentcard.BindingJSONRPC, ProtocolVersion: "1.0"}}}}
	service := a2aedge.New(a2aedge.Config{Store: store, Directory: oneAgent{agent}, Passages: a2aedge.Passages{
		Agents: []string{"*"}, Pool: agentclient.NewPool(dial, new(http.Client), nil),
	}})
	return a2aedge.NewHandler(a2aedge.HandlerConfig{Conn: agreeing{}, Service: service, Gate: gate})
}

// openGate admits everybody as one caller.
type openGate struct{}

func (openGate) ReadBody(r *http.Request) ([]byte, error) { return io.ReadAll(r.Body) }

func (openGate) TakeTurn(ctx context.Context, _ int) (context.Context, func(), error) {
	return ctx, func() {}, nil
}

func (openGate) Admit(ctx context.Context, _ http.Header, _ string) (context.Context, error) {
	return auth.NewContext(ctx, auth.Principal{Tenant: auth.DefaultTenant, Name: "anybody", Roles: []auth.Role{auth.RoleDispatcher}}), nil
}

func (openGate) Enter(context.Context) (func(), error) { return func() {}, nil }

func (openGate) WhileAdmitted(ctx context.Context, _ http.Header, _ string) (context.Context, func()) {
	return ctx, func() {}
}

// oneAgent is a directory of one agent.
type oneAgent struct{ agent *registry.Agent }

func (oneAgent) Consulted(string, string) bool { return false }

func (o oneAgent) Peek(string, string) (*registry.Agent, registry.Status, bool) {
	return o.agent, registry.Status{}, true
}

func (oneAgent) Refresh(context.Context, string) error { return nil }

// tasks is a store that answers each question for a task with an error, or nil: it is there.
type tasks struct {
	orchestrator.Store
	missing error
}

var noTask = tasks{missing: fault.New(fault.NotFound, "TASK_NOT_FOUND", "there is no task")}

func (s tasks) Task(context.Context, orchestrator.Key) (orchestrator.Task, error) {
	return orchestrator.Task{}, s.missing
}
