package agentclient_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// streamless are agents that have no streams.
func streamless(t *testing.T) map[string]agentcard.Interface {
	t.Helper()
	answers := func(streaming, refusal string, code int, answer string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Errorf("the body cannot be read: %v", err)
			}
			w.Header().Set("Content-Type", "application/json")
			if strings.Contains(r.URL.Path+string(body), streaming) {
				w.WriteHeader(code)
				_, _ = io.WriteString(w, refusal) // the client may be gone
				return
			}
			_, _ = io.WriteString(w, answer)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	rpc := func(code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"1","error":{"code":%d,"message":"no streams"}}`, code)
	}
	const (
		rest   = `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`
		modern = `{"jsonrpc":"2.0","id":"1","result":` + rest + `}`
		legacy = `{"jsonrpc":"2.0","id":"1","result":{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"}}}`
		detail = `{"error":{"code":400,"message":"no streams","details":[{"reason":"UNSUPPORTED_OPERATION"}]}}`
	)
	return map[string]agentcard.Interface{
		"no such method":     {URL: answers("SendStreamingMessage", rpc(-32601), 200, modern), Binding: agentcard.BindingJSONRPC, ProtocolVersion: "1.0"},
		"not supported":      {URL: answers("SendStreamingMessage", rpc(-32004), 200, modern), Binding: agentcard.BindingJSONRPC, ProtocolVersion: "1.0"},
		"0.3":                {URL: answers("message/stream", rpc(-32004), 400, legacy), Binding: agentcard.BindingJSONRPC, ProtocolVersion: "0.3"},
		"HTTP not supported": {URL: answers("/message:stream", detail, 400, rest), Binding: agentcard.BindingHTTPJSON, ProtocolVersion: "1.0"},
		"HTTP no method":     {URL: answers("/message:stream", "", 405, rest), Binding: agentcard.BindingHTTPJSON, ProtocolVersion: "1.0"},
		"HTTP not there":     {URL: answers("/message:stream", "", 501, rest), Binding: agentcard.BindingHTTPJSON, ProtocolVersion: "1.0"},
		"gRPC":               {URL: serveGRPC(t, &unary{}), Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"},
		"gRPC not supported": {URL: serveGRPC(t, &refusing{}), Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"},
	}
}

// unary is an agent over gRPC that has no streams.
type unary struct {
	a2apb.UnimplementedA2AServiceServer
}

func (*unary) SendMessage(context.Context, *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	return &a2apb.SendMessageResponse{Payload: &a2apb.SendMessageResponse_Task{Task: &a2apb.Task{Id: "t", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED}}}}, nil
}

// refusing is an agent over gRPC that refuses streams as A2A 1.0.1 prescribes.
type refusing struct{ unary }

func (*refusing) SendStreamingMessage(*a2apb.SendMessageRequest, grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	refusal, err := status.New(codes.FailedPrecondition, "no streams").WithDetails(&errdetails.ErrorInfo{Reason: "UNSUPPORTED_OPERATION", Domain: "a2a-protocol.org"})
	if err != nil {
		return err
	}
	return refusal.Err()
}

// TestAnAgentThatDoesNotStreamIsAskedWithout has agents that refuse streams, whatever their cards say.
func TestAnAgentThatDoesNotStreamIsAskedWithout(t *testing.T) {
	t.Parallel()
	for name, in := range streamless(t) {
		c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{in}})
		if err != nil {
			t.Fatal(err)
		}
		var got []*a2apb.StreamResponse
		err = c.Send(t.Context(), &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "hi"}}}}, true, func(r *a2apb.StreamResponse) error {
			got = append(got, r)
			return nil
		})
		if err != nil || len(got) != 1 || got[0].GetTask().GetStatus().GetState() != a2apb.TaskState_TASK_STATE_COMPLETED {
			t.Errorf("%s: Send() = %v with %v, want the task that it answers", name, err, got)
		}
	}
}

// breaking is an agent over gRPC that begins, and then says that it cannot do this.
type breaking struct{ unary }

func (*breaking) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	if err := s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{Id: "t"}}}); err != nil {
		return err
	}
	return status.Error(codes.Unimplemented, "not this")
}

// TestAnAgentThatHasBegunIsNotAskedTwice has the same refusal come late.
func TestAnAgentThatHasBegunIsNotAskedTwice(t *testing.T) {
	t.Parallel()
	c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{{URL: serveGRPC(t, &breaking{}), Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"}}})
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	err = c.Send(t.Context(), &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER}, true, func(*a2apb.StreamResponse) error { heard++; return nil })
	if fault.ReasonOf(err) != agentclient.ReasonRefused || heard != 1 {
		t.Errorf("Send() = %v after %d answers, want %s after one", err, heard, agentclient.ReasonRefused)
	}
}
