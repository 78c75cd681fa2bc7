package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// hung is an agent that takes calls about its tasks and, from some time until another, does not answer them.
type hung struct {
	agentclient.Client
	from, until time.Time
}

func (h *hung) Task(ctx context.Context, id string, history int32) (*a2apb.Task, error) {
	if now := time.Now(); !now.Before(h.from) && now.Before(h.until) {
		return nil, noAnswer(ctx)
	}
	return h.Client.Task(ctx, id, history)
}

// mute is an agent that may have got the message, and does not say which tasks it has.
type mute struct{ agentclient.Client }

func (mute) Send(context.Context, *a2apb.Message, bool, agentclient.Each) error { return errNoAnswer }

func (mute) Find(ctx context.Context, _ string, _ time.Time) (*a2apb.Task, error) {
	return nil, noAnswer(ctx)
}

var errNoAnswer = fault.New(fault.DeadlineExceeded, agentclient.ReasonTimeout, "the agent did not answer in time")

// noAnswer returns, when ctx ends, what a client returns then.
func noAnswer(ctx context.Context) error {
	<-ctx.Done()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errNoAnswer
	}
	return ctx.Err()
}

// TestAnAgentThatDoesNotAnswerIsAskedAgain has an agent not answer when it is asked for its task the first time.
func TestAnAgentThatDoesNotAnswerIsAskedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: &hung{w, time.Now(), time.Now().Add(time.Second)}}
		s.start()
		k := s.accept("worker", "r")
		s.accepted++
		s.minutes(5)
		s.stop()
		s.check("an agent that does not answer", k)
	})
}

// TestATaskEndsInTimeThoughItsAgentDoesNotAnswer has an agent not answer any more once it has asked something, or when it may have the message.
func TestATaskEndsInTimeThoughItsAgentDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string]func() agentclient.Client{
		"it waits for its caller": func() agentclient.Client {
			return &hung{newAsker(), time.Now().Add(5 * time.Second), time.Now().Add(24 * time.Hour)}
		},
		"it may have the message": func() agentclient.Client { return mute{newWorker()} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent()}
				s.start()
				task, err := s.engine.Submit(t.Context(), engine.Submission{
					Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "worker"}, Deadline: time.Now().Add(time.Hour),
				})
				if err != nil {
					t.Fatal(err)
				}
				s.minutes(65)
				s.stop()
				got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
				if err != nil || got.State != a2apb.TaskState_TASK_STATE_FAILED || got.Error.Reason != "DEADLINE_EXCEEDED" {
					t.Errorf("the task is in state %s (%+v), %v, after its deadline, want failed by that", got.State, got.Error, err)
				}
			})
		})
	}
}

// forgetful is a worker whose instances know nothing of one another: who is asked for a task has never heard of it.
type forgetful struct{ *flaky }

func (forgetful) Task(context.Context, string, int32) (*a2apb.Task, error) {
	return nil, fault.New(fault.NotFound, agentclient.ReasonTaskNotFound, "no such task")
}

// TestAnAgentThatKeepsForgettingIsNotSentTheMessageAgainAndAgainAtOnce has an agent that begins its work with every message.
func TestAnAgentThatKeepsForgettingIsNotSentTheMessageAgainAndAgainAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{worker: newWorker(), fail: func(int) error { return nil }}
		f.takes = time.Hour
		s := newSimulation(t, f)
		s.stop()
		s.client = forgetful{f}
		s.start()
		k := s.submit("r")
		<-time.After(10 * time.Minute)
		s.stop()
		task, err := s.store.Task(t.Context(), k)
		if err != nil || task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != agentclient.ReasonTaskNotFound || len(f.asked) != 8 {
			t.Fatalf("the task is in state %s (%+v), %v, after %d sends, want failed after 8", task.State, task.Error, err, len(f.asked))
		}
		if again := f.asked[1].Sub(f.asked[0]); again > time.Second {
			t.Errorf("the message was sent again after %s, want at once when the agent forgets for the first time", again)
		}
		for i := 2; i < len(f.asked); i++ {
			if wait, least := f.asked[i].Sub(f.asked[i-1]), 200*time.Millisecond<<(i-2); wait < least {
				t.Errorf("the message was sent again %s after send %d, want at least %s", wait, i, least)
			}
		}
	})
}

// TestATaskWithoutAStatusIsNoAnswer asks an agent for a task whose status its author forgot: whoever waits would not hear of it before the deadline.
func TestATaskWithoutAStatusIsNoAnswer(t *testing.T) {
	a := &actor{name: "agent"}
	a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		task := &a2apb.Task{Id: "r1", ContextId: "c"}
		a.remember(task)
		return say(snapshotOf(task))
	}
	w := newWorld(t, a)
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != agentclient.ReasonAnswerInvalid {
		t.Errorf("state %s, error %+v, want it failed with %s", task.State, task.Error, agentclient.ReasonAnswerInvalid)
	}
}

// besieged is an agent that takes a second to say how one of its tasks is.
type besieged struct {
	agentclient.Client
	now, most atomic.Int64 // calls that it has not answered
}

func (c *besieged) Task(ctx context.Context, id string, history int32) (*a2apb.Task, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	c.most.Store(max(c.most.Load(), n))
	<-time.After(time.Second)
	return c.Client.Task(ctx, id, history)
}

// TestAnAgentIsAskedForSoManyTasksAtATime has an agent with many tasks be slow to say how they are.
func TestAnAgentIsAskedForSoManyTasksAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker()
		c := &besieged{Client: w}
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: c}
		s.start()
		var keys []orchestrator.Key
		for i := range 200 {
			keys = append(keys, s.accept("worker", fmt.Sprint("r", i)))
			s.accepted++
		}
		s.minutes(5)
		s.stop()
		for _, k := range keys {
			s.check("one of many", k)
		}
		if n := c.most.Load(); n != 64 {
			t.Errorf("the agent was asked for %d tasks at a time, want 64", n)
		}
	})
}
