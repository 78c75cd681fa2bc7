package engine_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
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

// chatty is an agent that says something every now and then while it works.
type chatty struct {
	*worker
	words int
	every time.Duration
}

func (c chatty) Send(_ context.Context, _ *a2apb.Message, _ bool, each agentclient.Each) error {
	for n := range c.words {
		if err := each(snapshot("remote", a2apb.TaskState_TASK_STATE_WORKING, strconv.Itoa(n))); err != nil {
			return err
		}
		<-time.After(c.every)
	}
	return each(snapshot("remote", a2apb.TaskState_TASK_STATE_COMPLETED, "done"))
}

func TestWhatFollowsCloselyIsWrittenTogether(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		every time.Duration
		want  int
	}{
		"the end comes soon":  {9 * time.Millisecond, 2}, // accepted, and ended
		"the end comes later": {11 * time.Millisecond, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: chatty{newWorker(), 5, c.every}}
				writes := 0
				s.store.Written = func(orchestrator.Task) { writes++ }
				s.start()
				<-time.After(time.Second) // the leases are there
				s.submit("r")
				<-time.After(time.Second)
				s.stop()
				if writes != c.want {
					t.Errorf("a task whose agent speaks every %s, five times, was written %d times, want %d", c.every, writes, c.want)
				}
			})
		})
	}
}

func TestWhatTheLogHasNoRoomForIsNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, &flaky{worker: newWorker(), fail: func(int) error { return nil }})
		s.stop()
		s.client = chatty{newWorker(), 2 * orchestrator.MaxEvents, 100 * time.Millisecond}
		writes := 0
		s.store.Written = func(orchestrator.Task) { writes++ }
		s.start()
		k := s.submit("r")
		s.minutes(20)
		s.stop()
		task, err := s.store.Task(t.Context(), k)
		if err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			t.Fatalf("Task() = %s, %v, want it completed", task.State, err)
		}
		if most := orchestrator.MaxEvents + 20; writes > most {
			t.Errorf("the task was written %d times, want at most %d: its log is full after %d", writes, most, orchestrator.MaxEvents)
		}
	})
}

// TestTheLogOfATaskHasAnEnd has agents that would have it grow until the task's deadline.
func TestTheLogOfATaskHasAnEnd(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string]agentclient.Client{
		"one that took the task and cannot be reached any more": lost{newWorker()},
		"one that works and asks and works, and says nothing":   undecided{newWorker()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation(t, &flaky{worker: newWorker(), fail: func(int) error { return nil }})
				s.stop()
				s.client = agent
				s.start()
				task, err := s.engine.Submit(t.Context(), engine.Submission{
					Tenant: tenant, Caller: "tester", Message: text("x"), Route: orchestrator.Route{Agent: "worker"}, Deadline: time.Now().Add(3 * 24 * time.Hour),
				})
				if err != nil {
					t.Fatal(err)
				}
				<-time.After(2 * 24 * time.Hour)
				s.stop()
				got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
				if most := uint64(2*orchestrator.MaxEvents + 10); err != nil || got.LastEvent > most {
					t.Errorf("the log has %d entries after two days, %v, want %d at most", got.LastEvent, err, most)
				}
			})
		})
	}
}

// lost is an agent that takes a task and is away from then on.
type lost struct{ *worker }

func (lost) Send(_ context.Context, _ *a2apb.Message, _ bool, each agentclient.Each) error {
	return each(snapshot("remote", a2apb.TaskState_TASK_STATE_WORKING, ""))
}

func (lost) Task(context.Context, string, int32) (*a2apb.Task, error) { return nil, errAway }

// undecided is an agent that asks without a question, and goes on by itself, over and over.
type undecided struct{ *worker }

func (undecided) Send(ctx context.Context, _ *a2apb.Message, _ bool, each agentclient.Each) error {
	for n := 0; ctx.Err() == nil; n++ {
		state := a2apb.TaskState_TASK_STATE_WORKING
		if n%2 == 1 {
			state = a2apb.TaskState_TASK_STATE_INPUT_REQUIRED
		}
		if err := each(snapshot("remote", state, "")); err != nil {
			return err
		}
		<-time.After(30 * time.Second)
	}
	return ctx.Err()
}

// stalling is a store whose first write of the agent's id of a task takes until its caller gives up, and is not done then.
type stalling struct {
	orchestrator.Store
	begun   chan struct{} // closed when that write has begun
	stalled atomic.Bool
}

var errStalled = errors.New("the write takes long")

func (s *stalling) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	stalls := false
	t, err := s.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) { // may be called more than once
		events, err := change(t)
		if a := t.OpenAttempt(); err == nil && a != nil && a.RemoteTaskID != "" && !s.stalled.Swap(true) {
			stalls = true
		}
		if stalls {
			return nil, errStalled
		}
		return events, err
	})
	if !errors.Is(err, errStalled) {
		return t, err
	}
	close(s.begun)
	<-ctx.Done()
	return orchestrator.Task{}, context.Cause(ctx)
}

// TestAnExchangeThatEndsDuringAWriteLosesNothing ends an exchange while what the agent said is being written: the agent's task is known all the same.
func TestAnExchangeThatEndsDuringAWriteLosesNothing(t *testing.T) {
	t.Parallel()
	const remote = "remote"
	for name, test := range map[string]struct {
		lost     bool // the agent is, not the caller's patience
		state    a2apb.TaskState
		canceled []string
	}{
		"a caller cancels":      {false, a2apb.TaskState_TASK_STATE_CANCELED, []string{remote}},
		"the connection breaks": {true, a2apb.TaskState_TASK_STATE_COMPLETED, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &stalling{begun: make(chan struct{})}
			agent := &actor{name: "agent"}
			agent.play = func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
				agent.remember(remoteTask(remote, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
				if err := say(snapshot(remote, a2apb.TaskState_TASK_STATE_WORKING, "on it")); err != nil {
					return err
				}
				<-store.begun
				if test.lost {
					return fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "the connection broke")
				}
				<-ctx.Done()
				return context.Cause(ctx)
			}
			w := newWorld(t, agent)
			w.before = func(s orchestrator.Store) orchestrator.Store {
				store.Store = s
				return store
			}
			w.restart()
			k := orchestrator.Key{Tenant: tenant, ID: w.submit(engine.Submission{Route: orchestrator.Route{Agent: agent.name}}).ID}
			<-store.begun
			if !test.lost {
				if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
					t.Fatalf("Cancel() = %v", err)
				}
			}
			ended, log := w.awaitEnd(k.ID)
			if ended.State != test.state || len(agent.sends()) != 1 {
				t.Errorf("the task ended in state %s (%+v) after %d messages, want %s after one; log %v", ended.State, ended.Error, len(agent.sends()), test.state, log)
			}
			agent.mu.Lock()
			defer agent.mu.Unlock()
			if !slices.Equal(agent.canceled, test.canceled) {
				t.Errorf("the agent was told to cancel %q, want %q", agent.canceled, test.canceled)
			}
		})
	}
}

// TestTheNameOfATaskWaitsForTheStore has an agent name its task, whose work must not be done twice, and a store that does not take the name for a moment or for long.
func TestTheNameOfATaskWaitsForTheStore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refused int64
		reason  string
	}{
		"for a moment":               {3, ""},
		"for longer than it is kept": {100, "OUTCOME_UNKNOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { nameATask(t, test.refused, test.reason) })
		})
	}
}

func nameATask(t *testing.T, refused int64, reason string) {
	t.Helper()
	works := time.Duration(0)
	agent := &actor{name: "agent", once: true}
	agent.play = func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
		if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "on it")); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(works):
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
		}
	}
	task, got := submitTwice(t, agent, func() { works = time.Minute }, refused)
	if got != reason {
		t.Errorf("the task ended as %s with %q, want %q", task.State, got, reason)
	}
}
