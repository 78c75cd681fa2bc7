package agentclient

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"
)

// maxAnswerBytes bounds one message, one answer or one event of a stream from an agent.
const maxAnswerBytes = 8 << 20

// Each is called for each response of an agent, in order. An error that it returns ends the call and is returned from it.
type Each func(*a2apb.StreamResponse) error

// Client talks to one agent over one interface of its card. It is safe for concurrent use.
type Client interface {
	// Send sends a message, and beside it what it has under orchestrator.RequestKey, and calls each for the responses until the agent ends its
	// answer. If stream is false, or the agent does not stream after all, it is asked to answer at once, and each is called once.
	Send(ctx context.Context, m *a2apb.Message, stream bool, each Each) error
	// Subscribe follows a task that the agent already knows.
	Subscribe(ctx context.Context, taskID string, each Each) error
	// Task returns the current state of a task, with at most history of its latest messages.
	Task(ctx context.Context, taskID string, history int32) (*a2apb.Task, error)
	// Cancel asks the agent to cancel a task. with is the metadata of the request; it may be nil.
	Cancel(ctx context.Context, taskID string, with *structpb.Struct) (*a2apb.Task, error)
}

// asStream converts the answer to a unary send to a stream response.
func asStream(r *a2apb.SendMessageResponse) *a2apb.StreamResponse {
	if m := r.GetMessage(); m != nil {
		return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: m}}
	}
	return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: r.GetTask()}}
}
