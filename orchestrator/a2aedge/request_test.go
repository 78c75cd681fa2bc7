package a2aedge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
)

// noter is a hand-made agent that asks once, and notes what stands beside the messages that it gets.
type noter struct {
	a2apb.UnimplementedA2AServiceServer
	got chan *a2apb.SendMessageRequest
	end chan *a2apb.CancelTaskRequest
}

func (n *noter) SendStreamingMessage(req *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	n.got <- req
	return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: n.task(req.GetMessage().GetTaskId() != "")}})
}

func (n *noter) GetTask(context.Context, *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	return n.task(false), nil
}

func (n *noter) CancelTask(_ context.Context, req *a2apb.CancelTaskRequest) (*a2apb.Task, error) {
	n.end <- req
	return &a2apb.Task{Id: req.GetId(), Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_CANCELED}}, nil
}

func (*noter) task(replied bool) *a2apb.Task {
	if replied {
		return &a2apb.Task{Id: "remote", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED}}
	}
	return &a2apb.Task{Id: "remote", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, Message: &a2apb.Message{
		MessageId: "q", Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "which?"}}},
	}}}
}

// wantBeside compares what stood beside a message.
func (n *noter) wantBeside(t *testing.T, what, note string) {
	t.Helper()
	req := <-n.got
	modes := req.GetConfiguration().GetAcceptedOutputModes()
	if got := req.GetMetadata().AsMap(); len(got) != 1 || got["note"] != note || !slices.Equal(modes, []string{"text/plain", "image/png"}) {
		t.Errorf("%s came with the metadata %v and the output modes %v, want the note %q and two modes", what, got, modes, note)
	}
	if _, ok := req.GetMessage().GetMetadata().GetFields()[orchestrator.RequestKey]; ok {
		t.Errorf("%s came with what stands beside it in its metadata too", what)
	}
}

// TestAnAgentGetsWhatStandsBesideAMessage has callers over each binding send metadata and output modes with a message and with a reply.
func TestAnAgentGetsWhatStandsBesideAMessage(t *testing.T) {
	w := newWorld(t)
	agent := &noter{got: make(chan *a2apb.SendMessageRequest, 1)}
	w.addHandMade(t, "noter", agent)
	beside := func(m *a2a.Message, note string) *a2a.SendMessageRequest {
		return &a2a.SendMessageRequest{Message: m, Metadata: map[string]any{"note": note}, Config: &a2a.SendMessageConfig{AcceptedOutputModes: []string{"text/plain", "image/png"}}}
	}
	for _, binding := range bindings {
		c := w.client(t, "/agents/noter", binding)
		task := send(t, w, c, beside(text("begin", nil), "one"))
		agent.wantBeside(t, "the message over "+string(binding), "one")
		reply := text("this one", nil)
		reply.TaskID = task.ID
		task = send(t, w, c, beside(reply, "two"))
		agent.wantBeside(t, "the reply over "+string(binding), "two")
		if shown, err := json.Marshal(task.History); err != nil || len(task.History) == 0 || strings.Contains(string(shown), orchestrator.RequestKey) {
			t.Errorf("the history is %s, %v, want the messages as they were sent", shown, err)
		}
	}
	sent := w.legacy(t, "/agents/noter", "message/send", fmt.Sprintf(
		`{"message":%s,"metadata":{"note":"three"},"configuration":{"blocking":true,"acceptedOutputModes":["text/plain","image/png"]}}`, legacyMessage("x", "")))
	if !strings.Contains(sent.body, `"input-required"`) {
		t.Fatalf("message/send = %s, want the agent's question", sent.body)
	}
	agent.wantBeside(t, "the message in 0.3", "three")
}

// TestAnAgentGetsWhatACancellationSays has callers over each binding, and of A2A 0.3, cancel a task with metadata.
func TestAnAgentGetsWhatACancellationSays(t *testing.T) {
	w := newWorld(t)
	agent := &noter{got: make(chan *a2apb.SendMessageRequest, 1), end: make(chan *a2apb.CancelTaskRequest, 1)}
	w.addHandMade(t, "noter", agent)
	for name, cancel := range map[string]func(id a2a.TaskID){
		"0.3": func(id a2a.TaskID) {
			w.legacy(t, "/agents/noter", "tasks/cancel", fmt.Sprintf(`{"id":%q,"metadata":{"reason":"0.3"}}`, id))
		},
		"gRPC": func(id a2a.TaskID) {
			with := &structpb.Struct{Fields: map[string]*structpb.Value{"reason": structpb.NewStringValue("gRPC")}}
			ctx := metadata.AppendToOutgoingContext(w.ctx, "a2a-version", "1.0")
			if _, err := a2apb.NewA2AServiceClient(w.conn).CancelTask(ctx, &a2apb.CancelTaskRequest{Id: string(id), Metadata: with}); err != nil {
				t.Errorf("CancelTask() = %v", err)
			}
		},
		"JSON-RPC": func(id a2a.TaskID) {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":%q,"metadata":{"reason":"JSON-RPC"}}}`, id)
			w.call(t, "POST", "/agents/noter", body, nil)
		},
		"HTTP+JSON": func(id a2a.TaskID) {
			w.call(t, "POST", "/agents/noter/tasks/"+string(id)+":cancel", `{"metadata":{"reason":"HTTP+JSON"}}`, nil)
		},
	} {
		task := send(t, w, w.client(t, "/agents/noter", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{Message: text("begin", nil)})
		<-agent.got
		cancel(task.ID)
		if got := (<-agent.end).GetMetadata().AsMap(); len(got) != 1 || got["reason"] != name {
			t.Errorf("over %s the agent was asked to stop with %v, want the reason", name, got)
		}
	}
	task := send(t, w, w.client(t, "/agents/noter", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{Message: text("begin", nil)})
	<-agent.got
	body := fmt.Sprintf(`{"metadata":{"reason":%q}}`, strings.Repeat("x", orchestrator.MaxCancelMetadata))
	if got := w.call(t, "POST", "/agents/noter/tasks/"+string(task.ID)+":cancel", body, nil); got.code != 400 || !strings.Contains(got.body, "CANCEL_METADATA_INVALID") {
		t.Errorf("a cancellation that says too much = %d %s, want 400 CANCEL_METADATA_INVALID", got.code, got.body)
	}
}

// TestWhatStandsBesideAMessageBelongsToItsRequest has the same request id come with other metadata.
func TestWhatStandsBesideAMessageBelongsToItsRequest(t *testing.T) {
	w := newWorld(t)
	body := func(note string) string {
		return fmt.Sprintf(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}],"metadata":{%q:{"requestId":"r"}}},"metadata":{"note":%q}}`, taskExtension, note)
	}
	first, again := w.call(t, "POST", "/agents/echo/message:send", body("one"), nil), w.call(t, "POST", "/agents/echo/message:send", body("one"), nil)
	if first.code != 200 || again.code != 200 || taskID(t, first) != taskID(t, again) {
		t.Errorf("the same request = %d %s, then %d %s, want one task", first.code, first.body, again.code, again.body)
	}
	if other := w.call(t, "POST", "/agents/echo/message:send", body("two"), nil); !strings.Contains(other.body, "REQUEST_ID_REUSED") {
		t.Errorf("the request id with other metadata = %d %s, want REQUEST_ID_REUSED", other.code, other.body)
	}
}

func taskID(t *testing.T, a answer) any {
	t.Helper()
	task, _ := a.object(t)["task"].(map[string]any)
	return task["id"]
}

// TestWhatStandsInTheWrongPlaceIsRefused has callers use the metadata of the request for what belongs into the message's, and the other way round.
func TestWhatStandsInTheWrongPlaceIsRefused(t *testing.T) {
	w := newWorld(t)
	const message = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]`
	for reason, body := range map[string]string{
		"TASK_EXTENSION_INVALID":   message + `},"metadata":{"` + taskExtension + `":{"attributes":{"sensitive":true}}}}`,
		"REQUEST_FIELDS_DUPLICATE": message + `,"metadata":{"` + orchestrator.RequestKey + `":{}}},"metadata":{"a":1}}`,
		"REQUEST_FIELDS_INVALID":   message + `,"metadata":{"` + orchestrator.RequestKey + `":{"tenant":"x"}}}}`,
	} {
		if got := w.call(t, "POST", "/agents/echo/message:send", body, nil); got.code != 400 || !strings.Contains(got.body, reason) {
			t.Errorf("message:send of %s = %d %s, want 400 %s", body, got.code, got.body, reason)
		}
	}
}
