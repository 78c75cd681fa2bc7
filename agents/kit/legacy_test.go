package kit_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"github.com/quorate/quorate/agents/kit"
)

func TestCallersOfA2A03AreAnswered(t *testing.T) {
	agent, _ := start(t, kit.Config{Handler: play})
	url := agent.URL()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/.well-known/agent.json", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var card struct{ URL, ProtocolVersion, PreferredTransport, Name string }
	if err := json.NewDecoder(resp.Body).Decode(&card); err != nil || card.URL != url+"/" || card.ProtocolVersion != "0.3" || card.PreferredTransport != "JSONRPC" || card.Name == "" {
		t.Errorf("the card of A2A 0.3 is %+v, %v, want a JSON-RPC interface at %s/", card, err, url)
	}
	c := a2av0.NewJSONRPCTransport(a2av0.JSONRPCTransportConfig{URL: card.URL})
	result, err := c.SendMessage(t.Context(), nil, &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("hello"))})
	if err != nil {
		t.Fatal(err)
	}
	task, ok := result.(*a2a.Task)
	if !ok || task.Status.State != a2a.TaskStateCompleted {
		t.Fatalf("SendMessage(0.3) = %+v, want a completed task", result)
	}
	if got, err := c.GetTask(t.Context(), nil, &a2a.GetTaskRequest{ID: task.ID}); err != nil || got.ID != task.ID {
		t.Errorf("GetTask(0.3) = %+v, %v, want the task", got, err)
	}
	for event, err := range c.SendStreamingMessage(t.Context(), nil, &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("hello"))}) {
		if err != nil {
			t.Errorf("SendStreamingMessage(0.3) = %v, %v, want events", event, err)
		}
	}
}

func TestCallersOfBothVersionsAreAnsweredInTurn(t *testing.T) {
	agent, _ := start(t, kit.Config{Handler: play})
	old := a2av0.NewJSONRPCTransport(a2av0.JSONRPCTransportConfig{URL: agent.URL() + "/"})
	current := a2aclient.NewJSONRPCTransport(agent.URL()+"/", nil)
	for _, c := range []struct {
		named     string
		transport a2aclient.Transport
	}{{"", current}, {"", old}, {"", current}, {"1.0", current}, {"0.3", old}, {"0.3.0", old}} {
		message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("hello"))
		result, err := c.transport.SendMessage(t.Context(), a2aclient.ServiceParams{a2a.SvcParamVersion: {c.named}}, &a2a.SendMessageRequest{Message: message})
		if err != nil {
			t.Fatalf("SendMessage by %T, A2A-Version %q = %v, want a task", c.transport, c.named, err)
		}
		if task, ok := result.(*a2a.Task); !ok || task.Status.State != a2a.TaskStateCompleted {
			t.Errorf("SendMessage by %T, A2A-Version %q = %+v, want a completed task", c.transport, c.named, result)
		}
	}
}

func TestErrorsForCallersOfA2A03AreJSON(t *testing.T) {
	agent, _ := start(t, kit.Config{Handler: play})
	for _, call := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"message/nothing"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"absent"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{}}`,
	} {
		got := fetch(t, http.MethodPost, agent.URL()+"/", http.Header{"Content-Type": {"application/json"}}, strings.NewReader(call))
		form, _, _ := strings.Cut(got.header.Get("Content-Type"), ";")
		if !strings.Contains(got.body, `"error":{"code":-32`) || form != "application/json" && form != "text/event-stream" {
			t.Errorf("%s = %s %s, want a JSON-RPC error as JSON or as an event", call, got.header.Get("Content-Type"), got.body)
		}
	}
}
