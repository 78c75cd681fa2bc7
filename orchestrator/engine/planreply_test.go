package engine_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestAReplyThatAStepHasIsAccepted has the store go away between the reply to the task of a step and the task that shows it: who replied must not do
// so again.
func TestAReplyThatAStepHasIsAccepted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := newAsker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent, actors: map[string]*actor{"first": {name: "first", skill: "work"}}}
		var away atomic.Bool
		lost := errors.New("the store did not answer")
		s.store.Fail = func(int) (before, after error) {
			if away.Load() {
				return lost, nil
			}
			return nil, nil
		}
		replied := sync.OnceFunc(func() { away.Store(true) })
		s.store.Written = func(t orchestrator.Task) {
			if t.Plan == nil && len(t.Turns) == 2 {
				replied()
			}
		}
		s.start()
		task, err := s.engine.Submit(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("begin"), Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}},
		})
		if err != nil {
			t.Fatal(err)
		}
		k := orchestrator.Key{Tenant: tenant, ID: task.ID}
		<-time.After(time.Minute)
		got, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("green")})
		away.Store(false)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_WORKING || got.Plan.Asking != nil {
			t.Errorf("Reply() = state %s, %v, want working", got.State, err)
		}
		<-time.After(time.Minute)
		got, err = s.store.Task(t.Context(), k)
		if err != nil || !got.AwaitsCaller() || len(got.Turns) != 3 {
			t.Errorf("a minute later the task is in state %s with %d turns, %v, want it to ask again, with 3", got.State, len(got.Turns), err)
		}
		s.stop()
	})
}
