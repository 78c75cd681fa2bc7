package engine_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/push"
	"github.com/quorate/quorate/platform/fault"
)

// TestADeadlineIsByTheClockOfTheEngine has the machine's clock ahead of that of the store, by which the engine goes: by the machine's clock the deadline has
// passed.
func TestADeadlineIsByTheClockOfTheEngine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "agent", play: func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		if ctx.Err() != nil { // nothing is sent any more
			return context.Cause(ctx)
		}
		return delivers("done")(ctx, m, say)
	}})
	w.restartAt(func() time.Time { return time.Now().Add(-time.Hour) })
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}, Deadline: w.now().Add(time.Minute)}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state %s (%+v), want completed; log %v", task.State, task.Error, log)
	}
}

// TestADeadlineIsNoticedWhenTheClockIsSetForward has the clock set forward, as after a machine has slept, while an agent works, or waits for its caller.
func TestADeadlineIsNoticedWhenTheClockIsSetForward(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]a2apb.TaskState{
		"at work": a2apb.TaskState_TASK_STATE_WORKING, "waiting": a2apb.TaskState_TASK_STATE_INPUT_REQUIRED,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &actor{name: "agent"}
				a.play = func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
					said := snapshot("r1", state, "well")
					a.remember(said.GetTask())
					if err := say(said); err != nil || orchestrator.Interrupted(state) {
						return err
					}
					<-ctx.Done()
					return ctx.Err()
				}
				s := newStage(t, a)
				var ahead atomic.Int64
				s.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
				s.start()
				defer s.stop()
				k := s.accept(a.name, "r")
				<-time.After(time.Hour)
				ahead.Store(int64(orchestrator.DefaultDeadline))
				<-time.After(2 * time.Minute) // in which tasks are looked for
				if got, err := s.store.Task(t.Context(), k); err != nil || got.Error == nil || got.Error.Reason != "DEADLINE_EXCEEDED" {
					t.Errorf("the task is in state %s (%+v), %v, want DEADLINE_EXCEEDED", got.State, got.Error, err)
				}
			})
		})
	}
}

// setsBack is a store that has the clock set back by an hour as soon as something is postponed.
type setsBack struct {
	orchestrator.Store
	back *atomic.Bool
}

func (s setsBack) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	t, err := s.Store.Update(ctx, k, change)
	if err == nil && (!t.NextDue.IsZero() || slices.ContainsFunc(t.Webhooks, func(w orchestrator.Webhook) bool { return !w.NextDue.IsZero() })) {
		s.back.Store(true)
	}
	return t, err
}

// newWorldThatIsSetBack returns a world whose clock is set back as soon as something is postponed.
func newWorldThatIsSetBack(t *testing.T, told push.Notifier, agents ...*actor) (*world, *atomic.Bool) {
	t.Helper()
	back := new(atomic.Bool)
	w := newWorld(t, agents...)
	w.told = told
	w.before = func(s orchestrator.Store) orchestrator.Store { return setsBack{s, back} }
	w.restartAt(func() time.Time {
		if back.Load() {
			return time.Now().Add(-time.Hour)
		}
		return time.Now()
	})
	return w, back
}

// TestAClockThatIsSetBackDoesNotStopWhatIsPostponed has the clock set back between two tries.
func TestAClockThatIsSetBackDoesNotStopWhatIsPostponed(t *testing.T) {
	t.Parallel()
	w, back := newWorldThatIsSetBack(t, nil, &actor{name: "agent", down: 1, play: delivers("done")})
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || !back.Load() {
		t.Errorf("state %s with the clock set back %t, want completed; log %v", task.State, back.Load(), log)
	}
}

// shy is a receiver that cannot be told the first time.
type shy struct {
	tries atomic.Int64
	told  chan struct{}
}

func (*shy) Check(orchestrator.Webhook) error { return nil }

func (o *shy) Send(context.Context, orchestrator.Webhook, *orchestrator.Task, orchestrator.Event) error {
	if o.tries.Add(1) == 1 {
		return fault.New(fault.Unavailable, "DOWN", "try later")
	}
	o.told <- struct{}{}
	return nil
}

func TestAClockThatIsSetBackDoesNotStopNotifications(t *testing.T) {
	t.Parallel()
	receiver := &shy{told: make(chan struct{}, 100)}
	w, back := newWorldThatIsSetBack(t, receiver, &actor{name: "agent", play: delivers("done")})
	w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}, Webhook: &orchestrator.Webhook{URL: "https://example.com"}})
	select {
	case <-receiver.told:
	case <-time.After(limit):
		t.Errorf("the receiver was not told, and the clock was set back: %t", back.Load())
	}
}

// TestAClockThatIsSetBackSaysNothingAboutAgents has the clock set back after an agent has failed once.
func TestAClockThatIsSetBackSaysNothingAboutAgents(t *testing.T) {
	t.Parallel()
	w, back := newWorldThatIsSetBack(t, nil, &actor{name: "agent", skill: "work", play: fails("sorry")})
	route := orchestrator.Route{Skill: "work"}
	w.awaitEnd(w.submit(engine.Submission{Route: route}).ID)
	back.Store(true)
	const least = 0.8 // what one failure leaves, however long ago
	d, err := w.engine.Resolve(t.Context(), engine.Submission{Tenant: tenant, Route: route})
	if err != nil || len(d.Candidates) != 1 || d.Candidates[0].Score < least {
		t.Errorf("Resolve() = %+v, %v, want the agent with a score of %v at least", d, err, least)
	}
}
