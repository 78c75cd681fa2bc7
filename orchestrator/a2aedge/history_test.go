package a2aedge_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"
)

// chatter is a hand-made agent that says everything in messages about its state, as Gemini CLI does: something while it works, a question, and the answer.
type chatter struct {
	a2apb.UnimplementedA2AServiceServer
}

func (chatter) SendStreamingMessage(req *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	if req.GetMessage().GetTaskId() == "" {
		return says(s, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which one?", "let me see", "there are two")
	}
	return says(s, a2apb.TaskState_TASK_STATE_COMPLETED, "", "the", " red one", " is it")
}

func (chatter) GetTask(context.Context, *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	return &a2apb.Task{Id: "remote", ContextId: "c", Status: statusOf(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which one?")}, nil
}

// says sends the words of a task that works, and then its last state.
func says(s grpc.ServerStreamingServer[a2apb.StreamResponse], state a2apb.TaskState, last string, words ...string) error {
	send := func(state a2apb.TaskState, word string) error {
		return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{Id: "remote", ContextId: "c", Status: statusOf(state, word)}}})
	}
	for _, word := range words {
		if err := send(a2apb.TaskState_TASK_STATE_WORKING, word); err != nil {
			return err
		}
	}
	return send(state, last)
}

func statusOf(state a2apb.TaskState, word string) *a2apb.TaskStatus {
	if word == "" {
		return &a2apb.TaskStatus{State: state}
	}
	part := &a2apb.Part{Content: &a2apb.Part_Text{Text: word}, Metadata: &structpb.Struct{Fields: map[string]*structpb.Value{"kind": structpb.NewStringValue("text")}}}
	return &a2apb.TaskStatus{State: state, Message: &a2apb.Message{MessageId: word[:min(len(word), 20)], Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{part}}}
}

// beginnings returns the first 40 bytes of what each message says.
func beginnings(list []*a2a.Message) []string {
	out := make([]string, len(list))
	for i, m := range list {
		whole := m.Parts[0].Text()
		out[i] = whole[:min(len(whole), 40)]
	}
	return out
}

func TestTheHistoryHasWhatAnAgentSaidWhileItWorked(t *testing.T) {
	w := newWorld(t)
	w.addHandMade(t, "chatter", chatter{})
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			c := w.client(t, "/agents/chatter", binding)
			asked := send(t, w, c, &a2a.SendMessageRequest{Message: text("a hat", nil)})
			if got, want := beginnings(asked.History), []string{"a hat", "let me see", "there are two"}; !slices.Equal(got, want) {
				t.Errorf("while it waits, the history is %q, want %q", got, want)
			}
			done := send(t, w, c, &a2a.SendMessageRequest{Message: follow(asked, "red", nil)})
			want := []string{"a hat", "let me see", "there are two", "which one?", "red", "the", " red one", " is it"}
			if got := beginnings(done.History); done.Status.State != a2a.TaskStateCompleted || !slices.Equal(got, want) {
				t.Errorf("the answer is %s with the history %q, want %q", done.Status.State, got, want)
			}
			if m := done.History[1]; m.ID != "let me see" || m.Role != a2a.MessageRoleAgent || m.TaskID != done.ID || m.Parts[0].Metadata["kind"] != "text" {
				t.Errorf("a message in the history is %+v, want the agent's own with Quorate's id of the task", m)
			}
			two := 2
			short, err := c.GetTask(w.ctx, &a2a.GetTaskRequest{ID: done.ID, HistoryLength: &two})
			if err != nil || !slices.Equal(beginnings(short.History), want[len(want)-2:]) {
				t.Errorf("GetTask() = %v, %v, want the last two messages of %q", short, err, want)
			}
		})
	}
}

// drone is a hand-made agent that says more than a history takes.
type drone struct {
	a2apb.UnimplementedA2AServiceServer
}

const droned = 300

func (drone) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	words := make([]string, droned)
	for i := range words {
		words[i] = strconv.Itoa(i) + strings.Repeat(" blah", 1500)
	}
	return says(s, a2apb.TaskState_TASK_STATE_COMPLETED, "", words...)
}

func TestAHistorySaysWhatItLeavesOut(t *testing.T) {
	w := newWorld(t)
	w.addHandMade(t, "drone", drone{})
	task := send(t, w, w.client(t, "/agents/drone", bindings[0]), &a2a.SendMessageRequest{Message: text("go on", nil)})
	ours, _ := task.Metadata[taskExtension].(map[string]any)
	left, _ := ours["historyOmitted"].(float64)
	words := task.History[1:]
	if left == 0 || int(left)+len(words) != droned || !strings.HasPrefix(words[0].Parts[0].Text(), fmt.Sprintf("%.0f ", left)) {
		t.Errorf("the history has %d of %d messages, from %.40q, and says that it omits %v, want the latest and how many are omitted",
			len(words), droned, words[0].Parts[0].Text(), ours["historyOmitted"])
	}
}

// TestAStreamHasWhatAnAgentSaysBeforeItAsks has it say that in the same moment: what is stored together must not end the stream at once.
func TestAStreamHasWhatAnAgentSaysBeforeItAsks(t *testing.T) {
	w := newWorld(t)
	w.addHandMade(t, "chatter", chatter{})
	for _, binding := range bindings {
		var updates []string
		for _, e := range collect(t, w.client(t, "/agents/chatter", binding).SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: text("a hat", nil)})) {
			if u, ok := e.(*a2a.TaskStatusUpdateEvent); ok && u.Status.Message != nil {
				updates = append(updates, string(u.Status.State)+" "+u.Status.Message.Parts[0].Text())
			}
		}
		want := []string{"TASK_STATE_WORKING let me see", "TASK_STATE_WORKING there are two", "TASK_STATE_INPUT_REQUIRED which one?"}
		if !slices.Equal(updates, want) {
			t.Errorf("%s: the updates are %q, want %q", binding, updates, want)
		}
	}
}
