package engine_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// TestAMessageThatKeepsComingBackIsRefused submits each time what Quorate sends to the agent, as an agent does that is Quorate itself. Every second time it is
// another Quorate that knows nothing of the first.
func TestAMessageThatKeepsComingBackIsRefused(t *testing.T) {
	var worlds [2]*world
	var agents [2]*actor
	for i := range worlds {
		agents[i] = &actor{name: "leads-back", play: delivers("done")}
		worlds[i] = newWorld(t, agents[i])
	}
	s := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "leads-back"}}
	for n := range orchestrator.MaxHops + 1 {
		w, agent := worlds[n%2], agents[n%2]
		task, err := w.engine.Submit(t.Context(), s)
		if err != nil {
			t.Fatalf("Submit() of a message that was sent for %d tasks = %v, want no error", n, err)
		}
		w.awaitEnd(task.ID)
		got := agent.sends()
		s.Message = got[len(got)-1]
	}
	for i, w := range worlds {
		if task, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != "TASK_IN_CIRCLE" {
			t.Errorf("Submit() to Quorate %d = %v, %v, want TASK_IN_CIRCLE", i+1, task.ID, err)
		}
	}
}
