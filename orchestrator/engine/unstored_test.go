package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// full is a store that has no room for a new task while it is full.
type full struct {
	orchestrator.Store
	is atomic.Bool
}

func (f *full) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (stored orchestrator.Task, created bool, err error) {
	if f.is.Load() {
		return stored, false, errors.New("the disk is full")
	}
	return f.Store.Create(ctx, t, events...)
}

// TestATaskThatIsNotStoredTakesNoPlace has room for one task with the agent.
func TestATaskThatIsNotStoredTakesNoPlace(t *testing.T) {
	t.Parallel()
	store := &full{}
	w := newWorldWith(t, func(w *world) {
		w.bounds.exchanges = 2
		w.before = func(s orchestrator.Store) orchestrator.Store {
			store.Store = s
			return store
		}
	}, quick())
	w.completed(w.submitMany(1, "quick")...) // there are leases from now on
	store.is.Store(true)
	s := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("hello"), Route: orchestrator.Route{Agent: "quick"}}
	if task, err := w.engine.Submit(t.Context(), s); err == nil {
		t.Fatalf("Submit() = %s, want the error of the store", task.ID)
	}
	store.is.Store(false)
	w.completed(w.submitMany(1, "quick")...)
}
