package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// busyStore is a store that does not do the next changes of tasks.
type busyStore struct {
	orchestrator.Store
	left atomic.Int64 // how many
}

func (s *busyStore) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	if s.left.Add(-1) >= 0 {
		return orchestrator.Task{}, &fault.Error{Kind: fault.Unavailable, Reason: "STORE_THROTTLED", Message: "the store is throttled", Ours: true}
	}
	return s.Store.Update(ctx, k, change)
}

// TestAResultWaitsForTheStore has an agent do work at once that must not be done twice, and a store that does not take the result for a while.
func TestAResultWaitsForTheStore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refused int64
		state   a2apb.TaskState
		reason  string
	}{
		"for a moment":               {3, a2apb.TaskState_TASK_STATE_COMPLETED, ""},
		"for longer than it is kept": {100, a2apb.TaskState_TASK_STATE_FAILED, "OUTCOME_UNKNOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				task, reason := submitTwice(t, &actor{name: "agent", once: true, play: delivers("done")}, func() {}, test.refused)
				if task.State != test.state || reason != test.reason {
					t.Errorf("the task ended as %s with %q, want %s with %q", task.State, reason, test.state, test.reason)
				}
			})
		})
	}
}

// submitTwice has an agent do a task, and another one while the store does not do so many changes. It returns the second one, and the reason of its error.
func submitTwice(t *testing.T, agent *actor, between func(), refused int64) (task orchestrator.Task, reason string) {
	t.Helper()
	store := &busyStore{}
	w := newWorldWith(t, func(w *world) {
		w.before = func(s orchestrator.Store) orchestrator.Store {
			store.Store = s
			return store
		}
	}, agent)
	defer w.stop()
	route := orchestrator.Route{Agent: "agent"}
	w.awaitEnd(w.submit(engine.Submission{Route: route}).ID) // there are leases from now on, so that the next task is stored together with the intent to send
	between()
	store.left.Store(refused)
	id := w.submit(engine.Submission{Route: route}).ID
	<-time.After(5 * time.Minute)
	task, log := w.awaitEnd(id)
	t.Log(log)
	if n := len(agent.sends()); n != 2 {
		t.Errorf("the agent got %d messages for two tasks, want one for each", n)
	}
	if task.Error != nil {
		reason = task.Error.Reason
	}
	return task, reason
}
