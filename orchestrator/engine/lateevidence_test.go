package engine_test

import (
	"context"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestATaskThatPassesAGateWaitsForNobody has the evidence of an approval come after the gate was closed for want of it, and the agent take its time.
func TestATaskThatPassesAGateWaitsForNobody(t *testing.T) {
	t.Parallel()
	var w *world
	var question *a2apb.Message
	reviewer := reviews(&w, "approved", "fine", false)
	answer := reviewer.play
	reviewer.play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		question = m
		return answer(ctx, m, say)
	}
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-execution")}, reviewer)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	consult(t, w, task.ID)
	w.blockedWith(task.ID, "missing", "without evidence")
	if err := reviews(&w, "approved", "fine", true).play(t.Context(), question, func(*a2apb.StreamResponse) error { return nil }); err != nil {
		t.Fatal(err)
	}
	task, log := w.awaitEnd(task.ID)
	for _, e := range log {
		if e.Type == orchestrator.EventPhase && e.State != a2apb.TaskState_TASK_STATE_WORKING {
			t.Errorf("event %d says that %s and waits in state %s, want working: who watches would leave", e.Sequence, e.Detail, e.State)
		}
	}
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed", task.State)
	}
}
