package engine_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// staged is a store in which a test decides when the tasks of submissions are stored.
type staged struct {
	orchestrator.Store
	calls  atomic.Int64
	around func(call int64, create func()) // nil: at once
}

func (s *staged) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (stored orchestrator.Task, created bool, err error) {
	create := func() { stored, created, err = s.Store.Create(ctx, t, events...) }
	if s.around == nil {
		create()
	} else {
		s.around(s.calls.Add(1), create)
	}
	return stored, created, err
}

// TestTheSameRequestTwiceAtATime sends a request and its retry at the same time. The first has a place with the agent, and with it the intent to send;
// the second has neither.
func TestTheSameRequestTwiceAtATime(t *testing.T) {
	t.Parallel()
	for name, secondIsStored := range map[string]bool{"the first is stored": false, "the second is stored": true} {
		for work, once := range map[string]bool{"work that may be done twice": false, "work that must not": true} {
			t.Run(name+", "+work, func(t *testing.T) {
				t.Parallel()
				echo := &actor{name: "echo", once: once, play: delivers("hello")}
				w, store := newWorld(t, echo), &staged{}
				w.before = func(s orchestrator.Store) orchestrator.Store {
					store.Store = s
					return store
				}
				w.restart()
				w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID) // there are leases from now on
				begun, both, stored, over := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
				store.around = func(call int64, create func()) {
					if call == 2 {
						close(both)
						if !secondIsStored {
							<-stored
						}
						create()
						return
					}
					close(begun)
					if <-both; !secondIsStored {
						create()
						close(stored)
					}
					if <-over; secondIsStored {
						create()
					}
				}
				s := engine.Submission{Tenant: tenant, Caller: "tester", Route: orchestrator.Route{Agent: "echo"}, RequestID: "r-1", Message: text("a")}
				first := make(chan orchestrator.Task, 1)
				go func() {
					task, err := w.engine.Submit(t.Context(), s)
					if err != nil {
						t.Errorf("Submit() = %v, want a task", err)
					}
					first <- task
				}()
				<-begun
				second := w.submit(s)
				if secondIsStored {
					w.awaitEnd(second.ID)
				}
				close(over)
				got := <-first
				task, log := w.awaitEnd(second.ID)
				if got.ID != second.ID || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(echo.sends()) != 2 {
					t.Errorf("tasks %s and %s, state %s after %d sends with that before, want the same task, completed after one; log %v", got.ID, second.ID, task.State, len(echo.sends()), log)
				}
			})
		}
	}
}
