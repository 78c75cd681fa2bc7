package engine_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// outrun is a store in which the next submission, once it is set, waits while others store their tasks.
type outrun struct {
	orchestrator.Store
	set         atomic.Bool
	begun, over chan struct{}
}

func (s *outrun) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (stored orchestrator.Task, created bool, err error) {
	if s.set.CompareAndSwap(true, false) {
		close(s.begun)
		<-s.over
	}
	return s.Store.Create(ctx, t, events...)
}

// TestTheSameRequestTwiceAtATime has a request overtaken by its retry: the first has a place with the agent, and with it the intent to send; the task
// that is stored is the second's, which has neither.
func TestTheSameRequestTwiceAtATime(t *testing.T) {
	t.Parallel()
	echo := &actor{name: "echo", play: delivers("hello")}
	w := newWorld(t, echo)
	store := &outrun{begun: make(chan struct{}), over: make(chan struct{})}
	w.before = func(s orchestrator.Store) orchestrator.Store {
		store.Store = s
		return store
	}
	w.restart()
	w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID) // there are leases from now on
	store.set.Store(true)
	s := engine.Submission{Tenant: tenant, Caller: "tester", Route: orchestrator.Route{Agent: "echo"}, RequestID: "r-1", Message: text("a")}
	first := make(chan orchestrator.Task, 1)
	go func() {
		task, err := w.engine.Submit(t.Context(), s)
		if err != nil {
			t.Errorf("Submit() that was overtaken = %v, want the task of the other", err)
		}
		first <- task
	}()
	<-store.begun
	second := w.submit(s)
	task, log := w.awaitEnd(second.ID)
	close(store.over)
	if got := <-first; got.ID != second.ID || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(echo.sends()) != 2 {
		t.Errorf("tasks %s and %s, state %s after %d sends with that before, want the same task, completed after one send; log %v", got.ID, second.ID, task.State, len(echo.sends()), log)
	}
}
