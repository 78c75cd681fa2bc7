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

	"github.com/quorate/quorate/orchestrator"
)

// noter is a hand-made agent that asks once, and notes what stands beside the messages that it gets.
type noter struct {
	a2apb.UnimplementedA2AServiceServer
	got chan *a2apb.SendMessageRequest
}

func (n *noter) SendStreamingMessage(req *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	n.got <- req
	return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: n.task(req.GetMessage().GetTaskId() != "")}})
}

func (n *noter) GetTask(context.Context, *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	return n.task(false), nil
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
