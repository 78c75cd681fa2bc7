package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestWhatALostLeaseWasForIsForgotten has a replica lose its leases between the acceptance of a task and its sending, for which the store says nothing.
func TestWhatALostLeaseWasForIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "agent", play: delivers("done")}
		s := newStage(t, a)
		s.start()
		<-time.After(30 * time.Second) // the leases are there, and nobody searches for tasks
		calls := 0
		s.store.Written = func(orchestrator.Task) {
			calls = 0
			s.store.Fail = func(int) (before, after error) {
				if calls++; calls%2 == 0 { // the task is read, and the one before it in its context is not
					return errLost, nil
				}
				return nil, nil
			}
		}
		m := text("do it")
		m.ContextId = "a conversation"
		if _, err := s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: m, Route: orchestrator.Route{Agent: a.name}}); err != nil {
			t.Fatalf("Submit() = %v", err)
		}
		<-time.After(time.Second / 2)
		if n := engine.FreshKept(s.engine); n != 1 || len(a.sends()) > 0 {
			t.Fatalf("%d tasks are known to be unsent, and %d were sent, want 1 and none", n, len(a.sends()))
		}
		for group := range orchestrator.Groups {
			if _, err := s.leases.Take(t.Context(), group, "another", 1); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Minute)
		if n := engine.FreshKept(s.engine); n > 0 {
			t.Errorf("%d tasks are kept as unsent by a replica that lost them, want none", n)
		}
		s.stop()
	})
}
