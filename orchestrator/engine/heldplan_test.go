package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/registry"
)

// TestAPlanEndsThoughAStepWaitsToBeTriedAgain has one of two agents, of which one suffices, be away by the time that its step begins: when the other one
// is done, the task ends at once, however long it is until the step is tried again.
func TestAPlanEndsThoughAStepWaitsToBeTriedAgain(t *testing.T) {
	t.Parallel()
	for _, takes := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} { // the pauses grow, and vary
		t.Run(takes.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { anyOfTwo(t, takes) })
		})
	}
}

func anyOfTwo(t *testing.T, takes time.Duration) {
	t.Helper()
	w := newWorker()
	w.takes = takes
	gone := &actor{name: "gone", skill: "work"}
	s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, actors: map[string]*actor{"gone": gone, "here": {name: "here", skill: "work"}}}
	work := s.boot()
	task, err := s.engine.Submit(t.Context(), engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAny}},
	})
	if err != nil {
		t.Fatal(err)
	}
	gone.mu.Lock()
	gone.status = registry.StatusUnavailable
	gone.mu.Unlock()
	work()
	s.minutes(2)
	s.stop()
	got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
	if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("the task is in state %s (%+v), %v, want completed", got.State, got.Error, err)
	}
	for _, step := range got.Plan.Steps {
		if step.TaskID == "" {
			continue
		}
		done, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: step.TaskID})
		if late := got.UpdateTime.Sub(done.UpdateTime); err != nil || late > time.Second {
			t.Errorf("the task ended %s after its step (%v), want at once", late, err)
		}
	}
}
