package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// loseAnswer has the store do what a coming call asks, the next being 1, and not say so.
func (s *simulation) loseAnswer(call int) {
	s.store.Fail = func(int) (before, after error) {
		if call--; call == 0 {
			return nil, errLost
		}
		return nil, nil
	}
}

// TestWhatTheStoreTookWithoutSayingSoBeginsAtOnce has it take a task, and then a reply, and the caller ask for the same once more: neither waits for the next
// search for tasks.
func TestWhatTheStoreTookWithoutSayingSoBeginsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := newAsker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent}
		s.start()
		defer s.stop()
		<-time.After(15 * time.Second) // the first searches are over
		submission := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "worker"}, RequestID: "r"}
		s.loseAnswer(2) // the first looks for the task
		if _, err := s.engine.Submit(t.Context(), submission); err == nil {
			t.Fatal("Submit() = nil, want an error")
		}
		task, err := s.engine.Submit(t.Context(), submission)
		if err != nil {
			t.Fatalf("Submit() = %v, once more", err)
		}
		<-time.After(5 * time.Second)
		got, err := s.store.Task(t.Context(), task.Key())
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED {
			t.Fatalf("the task is in state %s, %v, want its agent to have asked", got.State, err)
		}
		reply := engine.Reply{Key: task.Key(), Caller: "tester", Message: text("this"), RequestID: "s"}
		s.loseAnswer(1)
		if _, err := s.engine.Reply(t.Context(), reply); err == nil {
			t.Fatal("Reply() = nil, want an error")
		}
		if _, err := s.engine.Reply(t.Context(), reply); err != nil {
			t.Fatalf("Reply() = %v, once more", err)
		}
		<-time.After(time.Second)
		if got, err := s.store.Task(t.Context(), task.Key()); err != nil || got.Turns[1].Sends != 1 {
			t.Errorf("the turns are %+v, %v, want the reply sent", got.Turns, err)
		}
	})
}
