package a2aedge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/orchestrator/dev"
)

// needed is an extension that picky agents require of every call.
const needed = "https://example.com/extensions/needed/v1"

// picky is a hand-made agent that waits for its caller, and answers no call that does not request the extension.
type picky struct {
	a2apb.UnimplementedA2AServiceServer
	canceled atomic.Bool
}

func (*picky) check(ctx context.Context) error {
	if list := strings.Join(metadata.ValueFromIncomingContext(ctx, "a2a-extensions"), ","); !slices.Contains(strings.Split(list, ","), needed) {
		return status.Errorf(codes.FailedPrecondition, "the extensions are %q", list)
	}
	return nil
}

func (p *picky) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	if err := p.check(s.Context()); err != nil {
		return err
	}
	return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{Id: "remote", ContextId: "c", Status: &a2apb.TaskStatus{
		State: a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, Message: &a2apb.Message{MessageId: "q", Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "which?"}}}},
	}}}})
}

func (p *picky) CancelTask(ctx context.Context, _ *a2apb.CancelTaskRequest) (*a2apb.Task, error) {
	if err := p.check(ctx); err != nil {
		return nil, err
	}
	p.canceled.Store(true)
	return &a2apb.Task{Id: "remote", ContextId: "c", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_CANCELED}}, nil
}

// TestAnAgentGetsTheExtensionsOfItsCaller has callers over each binding request an extension without which the agent does nothing.
func TestAnAgentGetsTheExtensionsOfItsCaller(t *testing.T) {
	w := newWorld(t)
	agent := &picky{}
	w.addHandMade(t, "picky", agent)
	const message = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`
	rpc := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":%s}`, message)
	asked := map[string]string{"A2A-Extensions": "urn:other, " + needed}
	for name, got := range map[string]answer{
		"HTTP+JSON": w.call(t, "POST", "/agents/picky/message:send", message, asked),
		"JSON-RPC":  w.call(t, "POST", "/agents/picky", rpc, asked),
		"0.3": w.call(t, "POST", "/agents/picky", `{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"configuration":{"blocking":true},"message":`+legacyMessage("x", "")+`}}`,
			map[string]string{"A2A-Version": "", "X-A2A-Extensions": needed}),
		"a message that names it": w.call(t, "POST", "/agents/picky/message:send", strings.Replace(message, `"parts"`, `"extensions":["`+needed+`"],"parts"`, 1), nil),
	} {
		if !strings.Contains(got.body, "TASK_STATE_INPUT_REQUIRED") && !strings.Contains(got.body, `"input-required"`) {
			t.Errorf("a message by %s = %d %s, want the agent's question", name, got.code, got.body)
		}
	}
	ctx := metadata.AppendToOutgoingContext(w.ctx, "a2a-version", "1.0", "a2a-extensions", needed)
	stub := a2apb.NewA2AServiceClient(w.conn)
	sent, err := stub.SendMessage(ctx, &a2apb.SendMessageRequest{Tenant: "picky", Message: &a2apb.Message{
		MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "x"}}},
	}})
	if err != nil || sent.GetTask().GetStatus().GetState() != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED {
		t.Fatalf("SendMessage() = %v, %v, want the agent's question", sent, err)
	}
	if w.call(t, "POST", "/agents/picky/tasks/"+sent.GetTask().GetId()+":cancel", "", nil); !agent.canceled.Load() {
		t.Error("CancelTask() did not reach the agent with what it needs")
	}
	many := w.call(t, "POST", "/agents/picky/message:send", message, map[string]string{"A2A-Extensions": strings.Repeat("urn:x,", 100)})
	if many.code != 400 || !strings.Contains(many.body, "EXTENSIONS_INVALID") {
		t.Errorf("a hundred extensions = %d %s, want 400 EXTENSIONS_INVALID", many.code, many.body)
	}
}

// TestACardHasTheExtensionsOfItsAgent reads the card of an agent that declares one, and has a call pass to that agent.
func TestACardHasTheExtensionsOfItsAgent(t *testing.T) {
	w := newWorld(t, func(c *dev.Config) { c.Agents.PassThrough = []string{"picky"} })
	requested := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // the registry probes the agent
			http.NotFound(rw, r)
			return
		}
		requested <- r.Header.Get("A2A-Extensions")
		_, _ = rw.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"y"}]}}}`))
	}))
	t.Cleanup(server.Close)
	card := `{"name":"picky","description":"d","version":"1.0.0","defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"capabilities":{"extensions":[{"uri":"` + needed + `","required":true,"params":{"a":[1]}}]},"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],
		"supportedInterfaces":[{"url":"` + server.URL + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	if made := w.call(t, "POST", "/v1/agents:register", `{"card":`+card+`}`, nil); made.code != 200 {
		t.Fatalf("register = %d %s", made.code, made.body)
	}
	var shown struct {
		Capabilities struct {
			Extensions []struct {
				URI      string
				Required bool
				Params   map[string]any
			}
		}
	}
	if err := json.Unmarshal([]byte(w.call(t, "GET", "/agents/picky/.well-known/agent-card.json", "", nil).body), &shown); err != nil {
		t.Fatal(err)
	}
	list := shown.Capabilities.Extensions
	if last := list[len(list)-1]; last.URI != needed || !last.Required || fmt.Sprint(last.Params) != "map[a:[1]]" {
		t.Errorf("the card's extensions are %+v, want the agent's at their end", list)
	}
	passed := w.call(t, "POST", "/agents/picky", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`,
		map[string]string{"A2A-Extensions": needed})
	var got string
	select {
	case got = <-requested:
	default: // it was not called
	}
	if !strings.Contains(passed.body, `"message"`) || !strings.Contains(got, needed) {
		t.Errorf("a call that passes = %s, and requests %q, want %s in it", passed.body, got, needed)
	}
}

// TestWhatAnAgentRequiresIsDemanded has callers name an agent whose card requires an extension, and request it or not.
func TestWhatAnAgentRequiresIsDemanded(t *testing.T) {
	w := newWorld(t)
	agent := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = rw.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"y"}]}}}`))
	}))
	t.Cleanup(agent.Close)
	card := `{"name":"strict","description":"d","version":"1.0.0","defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"capabilities":{"extensions":[{"uri":"` + needed + `","required":true},{"uri":"urn:optional"}]},"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],
		"supportedInterfaces":[{"url":"` + agent.URL + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	if made := w.call(t, "POST", "/v1/agents:register", `{"card":`+card+`}`, nil); made.code != 200 {
		t.Fatalf("register = %d %s", made.code, made.body)
	}
	const message = `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}`
	routed := `{"message":` + strings.Replace(message, `"parts"`, `"metadata":{"`+taskExtension+`":{"route":{"agent":"strict"}}},"parts"`, 1) + `}`
	rpc := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":` + message + `}}`
	for name, test := range map[string]struct{ path, body, version, extensions, want string }{
		"HTTP+JSON without it":           {"/agents/strict/message:send", `{"message":` + message + `}`, "1.0", "urn:other", `"reason":"EXTENSION_SUPPORT_REQUIRED"`},
		"a stream without it":            {"/agents/strict/message:stream", `{"message":` + message + `}`, "1.0", "", `"reason":"EXTENSION_SUPPORT_REQUIRED"`},
		"JSON-RPC without it":            {"/agents/strict", rpc, "1.0", "", `"code":-32008`},
		"the agent named in the message": {"/a2a/message:send", routed, "1.0", "", `"reason":"EXTENSION_SUPPORT_REQUIRED"`},
		"0.3 without it":                 {"/agents/strict", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":` + legacyMessage("x", "") + `}}`, "", "", `"code":-32008`},
		"HTTP+JSON with it":              {"/agents/strict/message:send", `{"message":` + message + `}`, "1.0", needed, `TASK_STATE_COMPLETED`},
		"the extension in the message": {
			"/agents/strict/message:send", `{"message":` + strings.Replace(message, `"parts"`, `"extensions":["`+needed+`"],"parts"`, 1) + `}`, "1.0", "", `TASK_STATE_COMPLETED`,
		},
	} {
		got := w.call(t, "POST", test.path, test.body, map[string]string{"A2A-Version": test.version, "A2A-Extensions": test.extensions})
		if squeezed := strings.ReplaceAll(got.body, `": "`, `":"`); !strings.Contains(squeezed, test.want) {
			t.Errorf("%s: %d %s, want %s", name, got.code, got.body, test.want)
		}
	}
}
