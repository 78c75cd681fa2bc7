package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// TestATaskEndsWhosePlanDoesNotFit has attributes leave room for the end of a task, and not for which tasks its steps are.
func TestATaskEndsWhosePlanDoesNotFit(t *testing.T) {
	t.Parallel()
	var agents []*actor
	for i := range 8 {
		agents = append(agents, &actor{name: fmt.Sprint("agent-", i), skill: "work", play: until})
	}
	w := newWorld(t, agents...)
	task, _ := w.submitFull(orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 4}})
	got, log := w.awaitEnd(task.ID)
	if got.State != a2apb.TaskState_TASK_STATE_FAILED || got.Error.Reason != "ITEM_TOO_LARGE" {
		t.Errorf("state %s (%+v), want failed since it is too large; log %v", got.State, got.Error, log)
	}
	for _, step := range got.Plan.Steps {
		if child, _ := w.awaitEnd(step.TaskID); child.State != a2apb.TaskState_TASK_STATE_CANCELED {
			t.Errorf("the task of agent %s is in state %s, want it canceled", step.Agent, child.State)
		}
	}
}

// until works for as long as it may.
func until(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
	<-ctx.Done()
	return ctx.Err()
}

// submitFull submits a task that has room for its end, and for little else, because of a note.
func (w *world) submitFull(route orchestrator.Route) (task orchestrator.Task, note string) {
	w.t.Helper()
	err := errors.ErrUnsupported
	for size := 350_000; err != nil; size -= 50 { // until it just fits
		note = strings.Repeat("x", size)
		task, err = w.engine.Submit(w.t.Context(), noted(route, note))
	}
	return task, note
}

func noted(route orchestrator.Route, note string) engine.Submission {
	return engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: route, Attributes: consultation.Attributes{"note": note}}
}

// TestATaskEndsWhoseFailureDoesNotFit has an agent fail with more words than there is room for. A task whose end cannot be written is sent again and again.
func TestATaskEndsWhoseFailureDoesNotFit(t *testing.T) {
	t.Parallel()
	a := &actor{name: "agent", play: func(context.Context, *a2apb.Message, agentclient.Each) error {
		return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "%s", strings.Repeat("<", 8000))
	}}
	w := newWorld(t, a, &actor{name: "other", play: until})
	_, note := w.submitFull(orchestrator.Route{Agent: "other"})
	got, log := w.awaitEnd(w.submit(noted(orchestrator.Route{Agent: a.name}, note[1000:])).ID)
	if got.State != a2apb.TaskState_TASK_STATE_FAILED || got.Error.Reason != "ITEM_TOO_LARGE" || len(a.sends()) != 1 {
		t.Errorf("state %s (%+v) after the agent got %d messages, want failed since it is too large after one; log %v", got.State, got.Error, len(a.sends()), log)
	}
}

// cramped is a store that has no room for artifacts of a task with a plan.
type cramped struct{ orchestrator.Store }

func (s cramped) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	return s.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		events, err := change(t)
		if err == nil && t.Plan != nil && len(t.Artifacts) > 0 {
			return nil, fault.Invalid("task", "ITEM_TOO_LARGE", "the task is too large")
		}
		return events, err
	})
}

// TestATaskIsCanceledThoughItHasNoRoomForWhatItsStepsMade has a step completed, and another one not, when the task is canceled.
func TestATaskIsCanceledThoughItHasNoRoomForWhatItsStepsMade(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, func(w *world) {
		w.before = func(s orchestrator.Store) orchestrator.Store { return cramped{s} }
	}, &actor{name: "quick", skill: "work", play: delivers("done")}, &actor{name: "slow", skill: "work", play: until})
	id := w.submit(engine.Submission{Route: toAll}).ID
	k := orchestrator.Key{Tenant: tenant, ID: id}
	_, err := w.engine.Watch(t.Context(), k, 0, true, func(e orchestrator.Event) error {
		if !strings.Contains(e.Detail, "completed") {
			return nil
		}
		_, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"})
		return errors.Join(err, context.Canceled)
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Cancel() = %v", err)
	}
	got, log := w.awaitEnd(id)
	if got.State != a2apb.TaskState_TASK_STATE_CANCELED || got.Plan.Completed() != 1 || len(got.Artifacts) > 0 {
		t.Errorf("state %s (%+v) with the plan %+v and %d artifacts, want canceled with one step completed; log %v", got.State, got.Error, got.Plan, len(got.Artifacts), log)
	}
}
