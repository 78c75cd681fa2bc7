package engine_test

import (
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestTheOutcomeOfWhatWasNotSentIsKnown has each call to the store fail once, in turn, in the life of a task that must not be done twice: it fails only
// if the agent may have its message.
func TestTheOutcomeOfWhatWasNotSentIsKnown(t *testing.T) {
	t.Parallel()
	atEveryCall(t, 5, func(t *testing.T, call int) bool {
		t.Helper()
		a := &actor{name: "once", once: true, play: delivers("done")}
		s, x := newStage(t, a), &trouble{kind: failsOnce, at: call}
		s.meet(x)
		s.start()
		m := text("do it")
		m.ContextId, m.ReferenceTaskIds = "a conversation", []string{orchestrator.TaskID(tenant, "tester", "earlier")}
		task := s.insist(x.String(), func() (orchestrator.Task, error) {
			return s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: m, Route: orchestrator.Route{Agent: a.name}, RequestID: "r"})
		})
		<-time.After(10 * time.Minute)
		s.stop()
		s.store.Fail = nil
		got, err := s.store.Task(t.Context(), task.Key())
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED && len(a.sends()) == 0 {
			t.Errorf("%s: the task is in state %s (%+v), %v, and the agent has no message, want it sent", x, got.State, got.Error, err)
		}
		return x.met
	})
}
