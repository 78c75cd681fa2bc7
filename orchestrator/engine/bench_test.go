package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// BenchmarkEvent is what the engine does with one thing that an agent says in the course of its work, over the embedded store: what follows closely is
// written together.
func BenchmarkEvent(b *testing.B) {
	said := make(chan int)
	w := newWorld(b, &actor{name: "talks", play: func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		id := "r-" + m.GetMessageId()
		if err := say(snapshot(id, a2apb.TaskState_TASK_STATE_WORKING, "")); err != nil {
			return err
		}
		for i := range <-said {
			words := text(fmt.Sprintf("said %d", i))
			words.MessageId = fmt.Sprintf("m-%d", i)
			if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
				TaskId: id, Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING, Message: words},
			}}}); err != nil {
				return err
			}
		}
		return say(snapshot(id, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
	}})
	left := b.N
	for left > 0 {
		n := min(left, orchestrator.MaxEvents/2) // of one task
		left -= n
		b.StopTimer()
		id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "talks"}}).ID
		b.StartTimer()
		said <- n
		w.awaitEnd(id)
	}
}
