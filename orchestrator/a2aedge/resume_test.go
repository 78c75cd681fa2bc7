package a2aedge_test

import (
	"context"
	"slices"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// heard is a stream that keeps the states of the updates.
type heard struct {
	grpc.ServerStream
	ctx    context.Context //nolint:containedctx // as grpc does
	states []a2apb.TaskState
}

func (h *heard) Context() context.Context { return h.ctx }

func (*heard) SendHeader(metadata.MD) error { return nil }

func (h *heard) Send(r *a2apb.StreamResponse) error {
	h.states = append(h.states, r.GetStatusUpdate().GetStatus().GetState())
	return nil
}

// TestAStreamThatIsTakenUpGoesPastWaitsThatAreOver resumes before the question of a task that has been answered and has ended since.
func TestAStreamThatIsTakenUpGoesPastWaitsThatAreOver(t *testing.T) {
	t.Parallel()
	life := []a2apb.TaskState{
		a2apb.TaskState_TASK_STATE_SUBMITTED, a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED,
		a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_COMPLETED,
	}
	var events []orchestrator.Event
	for _, state := range life {
		events = append(events, orchestrator.Event{Type: orchestrator.EventState, State: state})
	}
	store := new(storetest.Memory)
	if _, _, err := store.Create(t.Context(), orchestrator.Task{Tenant: "default", ID: "1", Owner: "ana", State: a2apb.TaskState_TASK_STATE_COMPLETED}, events...); err != nil {
		t.Fatal(err)
	}
	s, ctx := serviceOver(t, store)
	md, _ := metadata.FromIncomingContext(ctx)
	stream := &heard{ctx: metadata.NewIncomingContext(ctx, metadata.Join(md, metadata.Pairs("last-event-id", "1")))}
	if err := s.SubscribeToTask(&a2apb.SubscribeToTaskRequest{Id: "1"}, stream); err != nil || !slices.Equal(stream.states, life[1:]) {
		t.Errorf("SubscribeToTask() after event 1 = %v, %v, want %v", stream.states, err, life[1:])
	}
}
