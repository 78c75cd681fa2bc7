package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

func TestTheEndOfATaskIsTheEndOfItsSteps(t *testing.T) {
	list := threeInAChain()
	begun := make(chan struct{}, 1)
	list[1].play = func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	w := newWorld(t, list...)
	id := w.submit(chained()).ID
	<-begun
	k, noted := orchestrator.Key{Tenant: tenant, ID: id}, errors.New("the step is noted")
	_, err := w.engine.Watch(t.Context(), k, 0, true, func(orchestrator.Event) error { // the step may begin before the task says so
		if task := w.task(id); stepRuns(&task, 1) {
			return noted
		}
		return nil
	})
	if !errors.Is(err, noted) {
		t.Fatalf("Watch() = %v, want the second step noted", err)
	}
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
		t.Fatal(err)
	}
	task, _ := w.awaitEnd(id)
	child, _ := w.awaitEnd(orchestrator.TaskID(tenant, "quorate:plan", task.StepRequestID(2)))
	if task.State != a2apb.TaskState_TASK_STATE_CANCELED || child.State != a2apb.TaskState_TASK_STATE_CANCELED {
		t.Errorf("the task is %s and its second step %s, want both canceled", task.State, child.State)
	}
	if got := task.Plan.Steps[1].State; got != child.State {
		t.Errorf("the task says that its second step is %s, want %s", got, child.State)
	}
}

func TestATaskThatEndsFromOutsideKeepsWhatItsStepsCompleted(t *testing.T) {
	for name, test := range map[string]struct {
		end   func(w *world, k orchestrator.Key)
		state a2apb.TaskState
	}{
		"on request": {func(w *world, k orchestrator.Key) {
			if _, err := w.engine.Cancel(w.t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
				w.t.Fatalf("Cancel() = %v", err)
			}
		}, a2apb.TaskState_TASK_STATE_CANCELED},
		"at its deadline": {func(w *world, _ orchestrator.Key) {
			w.restartAt(func() time.Time { return time.Now().Add(25 * time.Hour) })
		}, a2apb.TaskState_TASK_STATE_FAILED},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &actor{name: "quick", skill: "work", play: delivers("done")}, &actor{name: "slow", skill: "work", play: after(make(chan struct{}), delivers("done"))})
			id := w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}}).ID
			w.awaitCompleted(id, 1)
			test.end(w, orchestrator.Key{Tenant: tenant, ID: id})
			task, log := w.awaitEnd(id)
			if task.State != test.state || len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "quick/a" {
				t.Errorf("state %s with artifacts %v, want %s with what the quick one made; log %v", task.State, task.Artifacts, test.state, log)
			}
			for _, s := range task.Plan.Steps {
				child, _ := w.awaitEnd(s.TaskID) // at the deadline it may be quicker to end by itself than to be canceled
				if completed := s.State == a2apb.TaskState_TASK_STATE_COMPLETED; completed != (s.Agent == "quick") || s.State != child.State {
					t.Errorf("the step of %s is %s, and its task %s, want the same, and only the quick one completed", s.Agent, s.State, child.State)
				}
			}
		})
	}
}
