package engine_test

import (
	"context"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestATaskWithoutAStatusIsNoAnswer asks an agent for a task whose status its author forgot: whoever waits would not hear of it before the deadline.
func TestATaskWithoutAStatusIsNoAnswer(t *testing.T) {
	a := &actor{name: "agent"}
	a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		task := &a2apb.Task{Id: "r1", ContextId: "c"}
		a.remember(task)
		return say(snapshotOf(task))
	}
	w := newWorld(t, a)
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != agentclient.ReasonAnswerInvalid {
		t.Errorf("state %s, error %+v, want it failed with %s", task.State, task.Error, agentclient.ReasonAnswerInvalid)
	}
}
