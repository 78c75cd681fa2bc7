package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
)

// plainAgent is the least that an agent can be, so that what is measured is the way to it: it answers a message with a message, or a stream with a task
// that says something ten times.
type plainAgent struct {
	a2apb.UnimplementedA2AServiceServer
}

const saidPerStream = 10

const sayEvery = 100 * time.Millisecond

func (*plainAgent) SendMessage(_ context.Context, req *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	return &a2apb.SendMessageResponse{Payload: &a2apb.SendMessageResponse_Message{Message: &a2apb.Message{
		MessageId: "answer", Role: a2apb.Role_ROLE_AGENT, ContextId: req.GetMessage().GetContextId(), Parts: req.GetMessage().GetParts(),
	}}}, nil
}

func (*plainAgent) SendStreamingMessage(req *a2apb.SendMessageRequest, stream grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	if strings.HasPrefix(req.GetMessage().GetParts()[0].GetText(), "hello") {
		return stream.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: &a2apb.Message{
			MessageId: "answer", Role: a2apb.Role_ROLE_AGENT, Parts: req.GetMessage().GetParts(),
		}}})
	}
	id := "t-" + req.GetMessage().GetMessageId()
	task := &a2apb.Task{Id: id, ContextId: "c", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING}}
	if err := stream.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: task}}); err != nil {
		return err
	}
	ticker := time.NewTicker(sayEvery)
	defer ticker.Stop()
	for i := range saidPerStream {
		<-ticker.C
		state := a2apb.TaskState_TASK_STATE_WORKING
		if i == saidPerStream-1 {
			state = a2apb.TaskState_TASK_STATE_COMPLETED
		}
		err := stream.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
			TaskId: id, ContextId: "c", Status: &a2apb.TaskStatus{State: state, Message: &a2apb.Message{
				MessageId: fmt.Sprintf("%s-%d", id, i), Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: fmt.Sprintf("said %d", i)}}},
			}},
		}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// ServeHTTP answers a JSON-RPC SendMessage with its own message.
func (*plainAgent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var e struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			Message struct {
				Parts json.RawMessage `json:"parts"`
			} `json:"message"`
		} `json:"params"`
	}
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"message":{"messageId":"answer","role":"ROLE_AGENT","parts":%s}}}`, e.ID, e.Params.Message.Parts)
}

// serve serves until the process is killed.
func (a *plainAgent) serve(over listeners) error {
	server := grpc.NewServer()
	a2apb.RegisterA2AServiceServer(server, a)
	go func() { _ = http.Serve(over[1], a) }()
	return server.Serve(over[0])
}

// serveAgent starts the part that is an agent in a process of its own, as agents are, and registers it with i under a name.
func serveAgent(tb testing.TB, i *instance, part, name string, streaming bool) (agent *instance, at addresses) {
	tb.Helper()
	agent, at = startPart(tb, "-part", part)
	body := `{"card":` + string(cardOf(name, streaming, at)) + `}`
	if code, body, _ := i.http(http.MethodPost, "/v1/agents:register", strings.NewReader(body), i.token()); code != http.StatusOK {
		tb.Fatalf("register = %d %s", code, body)
	}
	return agent, at
}

func cardOf(name string, streaming bool, at addresses) []byte {
	return fmt.Appendf(nil, `{"name":%q,"description":"d","version":"1.0.0","capabilities":{"streaming":%t},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],"supportedInterfaces":[
		{"url":%q,"protocolBinding":"GRPC","protocolVersion":"1.0"},{"url":%q,"protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, name, streaming, at.GRPC, at.HTTP)
}
