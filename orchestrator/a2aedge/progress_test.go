package a2aedge_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"
)

// caller is a hand-made agent that reports the functions that it calls as data, as those of ADK do.
type caller struct {
	a2apb.UnimplementedA2AServiceServer
}

func (caller) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	about := &structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("function_call")}}
	call := structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"name": structpb.NewStringValue("search")}})
	for _, status := range []*a2apb.TaskStatus{
		{State: a2apb.TaskState_TASK_STATE_WORKING, Message: &a2apb.Message{
			MessageId: "call", TaskId: "remote", ContextId: "c", Role: a2apb.Role_ROLE_AGENT,
			Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: call}, Metadata: about}},
		}},
		{State: a2apb.TaskState_TASK_STATE_COMPLETED},
	} {
		if err := s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{Id: "remote", ContextId: "c", Status: status}}}); err != nil {
			return err
		}
	}
	return nil
}

func TestAStreamHasWhatAnAgentSaysBesidesText(t *testing.T) {
	w := newWorld(t)
	w.addHandMade(t, "caller", caller{})
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			var said []*a2a.Message
			for e, err := range w.client(t, "/agents/caller", binding).SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: text("x", nil)}) {
				if err != nil {
					t.Fatalf("the stream broke: %v", err)
				}
				if u, ok := e.(*a2a.TaskStatusUpdateEvent); ok && u.Status.Message != nil {
					said = append(said, u.Status.Message)
				}
			}
			if len(said) != 1 {
				t.Fatalf("%d updates say something, want one", len(said))
			}
			call, _ := said[0].Parts[0].Data().(map[string]any)
			if said[0].ID != "call" || said[0].TaskID == "remote" || call["name"] != "search" || said[0].Parts[0].Metadata["type"] != "function_call" {
				t.Errorf("the update says %+v, want the agent's message with Quorate's ids", said[0])
			}
		})
	}
}
