package engine_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestACancellationReachesTheReplicaThatWorks has a task canceled at one replica while another talks to the agent, and word for that one get lost for
// a while, or for good.
func TestACancellationReachesTheReplicaThatWorks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ after, silence time.Duration }{
		"word is repeated": {after: 15 * time.Second, silence: 3 * time.Second},
		"a replica that has just taken the task looks by itself": {after: time.Second, silence: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFleet(t, 2, "", 0, newFarAgent(late))
				task := f.submit() // at the first one
				<-time.After(test.after)
				f.silent.Store(true)
				time.AfterFunc(test.silence, func() { f.silent.Store(false) })
				if _, err := f.nodes[1].engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: task.ID}, Caller: "tester"}); err != nil {
					t.Fatalf("Cancel() = %v", err)
				}
				<-time.After(8 * time.Second)
				got, err := f.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
				if err != nil || got.State != a2apb.TaskState_TASK_STATE_CANCELED {
					t.Errorf("the task is in state %s, %v, want canceled by now", got.State, err)
				}
				for _, n := range f.nodes {
					n.cancel()
					n.running.Wait()
				}
			})
		})
	}
}

// TestWhoWatchesHearsOfACancellationElsewhereAtOnce watches a task at the replica that works on it while another one is asked to cancel it, and the agent
// does not answer the request to stop.
func TestWhoWatchesHearsOfACancellationElsewhereAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 2, "", 0, newFarAgent(mutes))
		task := f.submit() // at the first one
		k := task.Key()
		<-time.After(15 * time.Second)
		var heard time.Time
		var watching sync.WaitGroup
		watching.Go(func() {
			_, err := f.nodes[0].engine.Watch(t.Context(), k, 0, true, func(e orchestrator.Event) error {
				if e.Type == orchestrator.EventCanceling {
					heard = time.Now()
				}
				return nil
			})
			if err != nil {
				t.Errorf("Watch() = %v", err)
			}
		})
		<-time.After(100 * time.Millisecond) // it has looked, and does not look by itself for some seconds
		asked := time.Now()
		if _, err := f.nodes[1].engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
			t.Fatalf("Cancel() = %v", err)
		}
		watching.Wait()
		if took := heard.Sub(asked); took < 0 || took > 2*time.Second {
			t.Errorf("who watches heard of it after %s, want as soon as the replica did, which looks for word each second", took)
		}
		for _, n := range f.nodes {
			n.cancel()
			n.running.Wait()
		}
	})
}

// TestACancellationThatNobodyTellsOfIsFound writes down that a task is to be canceled as a replica does that dies before it tells the one whose agent
// is at work.
func TestACancellationThatNobodyTellsOfIsFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "slow", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
			if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "")); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		s := newStage(t, a)
		s.start()
		k := s.accept(a.name, "r")
		<-time.After(10 * time.Minute)
		if _, err := s.store.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.CancelAsked = true
			return nil, nil
		}); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Minute) // in which tasks are looked for
		got, err := s.store.Task(t.Context(), k)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_CANCELED || len(a.canceled) != 1 {
			t.Errorf("the task is in state %s, %v, and the agent was asked %d times to stop, want canceled, once", got.State, err, len(a.canceled))
		}
		s.stop()
	})
}

// TestTheLeasesAreFreeOnceTheWorkHasEnded has an engine stop while it talks to an agent: who takes the task over must not find somebody at work on it.
func TestTheLeasesAreFreeOnceTheWorkHasEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ends := make(chan struct{})
		talks := &actor{name: "talks", play: func(context.Context, *a2apb.Message, agentclient.Each) error {
			<-ends
			return errLost
		}}
		s := newStage(t, talks)
		s.start()
		<-time.After(time.Second)
		s.accept(talks.name, "r")
		<-time.After(time.Second)
		s.cancel()
		synctest.Wait()
		if nodes, err := s.leases.Nodes(t.Context()); err != nil || len(nodes) != 1 {
			t.Errorf("Nodes() while the agent is talked to = %v, %v, want the one that does", nodes, err)
		}
		close(ends)
		s.running.Wait()
		if nodes, err := s.leases.Nodes(t.Context()); err != nil || len(nodes) != 0 {
			t.Errorf("Nodes() at the end = %v, %v, want none", nodes, err)
		}
	})
}

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

// TestWhatATaskThatWaitsIsToldElsewhereIsFound has another process take a reply to a task, or a request to cancel it, of which the one that works hears nothing.
func TestWhatATaskThatWaitsIsToldElsewhereIsFound(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tell func(ctx context.Context, e *engine.Engine, k orchestrator.Key) error
		seen func(t *orchestrator.Task) bool
	}{
		"a reply": {func(ctx context.Context, e *engine.Engine, k orchestrator.Key) error {
			_, err := e.Reply(ctx, engine.Reply{Key: k, Caller: "tester", Message: text("that one")})
			return err
		}, func(t *orchestrator.Task) bool { return len(t.Turns) == 3 }}, // and the next question
		"that nobody needs it any more": {func(ctx context.Context, e *engine.Engine, k orchestrator.Key) error {
			_, err := e.Cancel(ctx, engine.Cancellation{Key: k, Caller: "tester"})
			return err
		}, (*orchestrator.Task).Ended},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: newAsker()}
				s.start()
				stop := s.cancel
				k := s.accept("worker", "r")
				<-time.After(10 * time.Hour) // the agent is hardly asked any more
				s.boot()                     // a process that does not work
				if err := test.tell(t.Context(), s.engine, k); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				<-time.After(2 * time.Minute) // in which tasks are looked for
				if got, err := s.store.Task(t.Context(), k); err != nil || !test.seen(&got) {
					t.Errorf("two minutes later the task is in state %s after %d turns, %v, want it to have gone on", got.State, len(got.Turns), err)
				}
				stop()
				s.stop()
			})
		})
	}
}
