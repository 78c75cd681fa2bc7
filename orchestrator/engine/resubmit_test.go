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
	"github.com/quorate/quorate/orchestrator/storetest"
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

// TestNewWorkUnderAnOldRequestIDIsDoneAnew has a task be submitted under the request id of one that is no longer kept. Its agent deduplicates by message
// id, and the tasks of a plan's steps are kept for longer than that of the plan.
func TestNewWorkUnderAnOldRequestIDIsDoneAnew(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]orchestrator.Route{"by an agent": {Agent: "worker"}, "by a plan": toAll} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorker()
				s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, actors: map[string]*actor{"worker": {name: "worker", skill: "work"}}}
				s.start()
				defer s.stop()
				for _, content := range []string{"the old work", "the new work"} {
					task, err := s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text(content), Route: route, RequestID: "r"})
					if err != nil {
						t.Fatal(err)
					}
					s.pass()
					s.store.Forget(task.Key())
				}
				if sent := w.sent(); len(w.done) != 2 {
					t.Errorf("the agent got the messages %v and did %d works, want two", sent, len(w.done))
				}
			})
		})
	}
}
