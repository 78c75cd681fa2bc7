package agentclient_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/registry/agentcard"
)

// canceling is an agent over gRPC that keeps why it was asked to cancel.
type canceling struct {
	a2apb.UnimplementedA2AServiceServer
	reason string
}

func (c *canceling) CancelTask(_ context.Context, req *a2apb.CancelTaskRequest) (*a2apb.Task, error) {
	c.reason = req.GetMetadata().GetFields()["reason"].GetStringValue()
	return &a2apb.Task{Id: req.GetId()}, nil
}

// TestWhatACancellationSaysIsSent has agents of each binding and version asked to cancel.
func TestWhatACancellationSaysIsSent(t *testing.T) {
	agent := &canceling{}
	overHTTP := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		type said struct {
			Metadata struct{ Reason string }
		}
		var body struct {
			said
			Params *said
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("the body is not JSON: %v", err)
		}
		answer := `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELED"}}`
		if body.Params != nil {
			body.said = *body.Params
			answer = `{"jsonrpc":"2.0","id":"1","result":{"kind":"task","id":"t","contextId":"c","status":{"state":"canceled"}}}`
		}
		agent.reason = body.Metadata.Reason
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(overHTTP.Close)
	with := &structpb.Struct{Fields: map[string]*structpb.Value{"reason": structpb.NewStringValue("too late")}}
	for _, in := range []agentcard.Interface{
		{URL: serveGRPC(t, agent), Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"},
		{URL: overHTTP.URL, Binding: agentcard.BindingJSONRPC, ProtocolVersion: "1.0"},
		{URL: overHTTP.URL, Binding: agentcard.BindingHTTPJSON, ProtocolVersion: "1.0"},
		{URL: overHTTP.URL, Binding: agentcard.BindingJSONRPC, ProtocolVersion: "0.3"},
	} {
		c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{in}})
		if err != nil {
			t.Fatal(err)
		}
		agent.reason = ""
		if _, err := c.Cancel(t.Context(), "t", with); agent.reason != "too late" {
			t.Errorf("Cancel() over %s %s = %v and told the agent %q, want the reason", in.Binding, in.ProtocolVersion, err, agent.reason)
		}
	}
}
