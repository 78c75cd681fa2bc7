package engine_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// unstoppable is an agent that takes requests to stop and does not answer them.
type unstoppable struct {
	*actor
	asked int // how often it was asked to stop
}

func (u *unstoppable) Cancel(ctx context.Context, _ string, _ *structpb.Struct) (*a2apb.Task, error) {
	u.asked++
	return nil, noAnswer(ctx)
}

// TestATaskThatIsCanceledAgainAndAgainEnds has a caller ask each second for the end of a task whose agent takes longer to be asked to stop.
func TestATaskThatIsCanceledAgainAndAgainEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &unstoppable{actor: &actor{name: "slow", play: works("r1", make(chan struct{}, 9))}}
		s := newStage(t, u.actor)
		s.client = u
		s.start()
		defer s.stop()
		k := s.accept("slow", "r")
		<-time.After(10 * time.Second)
		for range 20 {
			if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester", Again: true}); err != nil {
				t.Fatalf("Cancel() = %v", err)
			}
			<-time.After(time.Second)
		}
		got, err := s.store.Task(t.Context(), k)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_CANCELED || got.UpdateTime.Sub(got.CreateTime) > 20*time.Second || u.asked != 1 {
			t.Errorf("the task is in state %s at %s, %v, and its agent was asked %d times to stop, want canceled once that was given up, and once",
				got.State, got.UpdateTime.Sub(got.CreateTime), err, u.asked)
		}
	})
}

// secretive is an agent that works on a message without an answer until it has done its work, and lists its tasks.
type secretive struct {
	*actor
	began string // id of the message
}

func (a *secretive) Find(_ context.Context, messageID string, _ time.Time) (*a2apb.Task, error) {
	if messageID != a.began {
		return nil, nil //nolint:nilnil // as a client says that there is none
	}
	return remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, ""), nil
}

// TestAnAgentThatHasNotNamedItsTaskIsToldToStop cancels a task whose agent works on it and has not answered yet.
func TestAnAgentThatHasNotNamedItsTaskIsToldToStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &secretive{actor: &actor{name: "slow"}}
		a.play = func(ctx context.Context, m *a2apb.Message, _ agentclient.Each) error {
			a.began = m.GetMessageId()
			<-ctx.Done()
			return ctx.Err()
		}
		s := newStage(t, a.actor)
		s.client = a
		s.start()
		defer s.stop()
		k := s.accept("slow", "r")
		<-time.After(10 * time.Second)
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
			t.Fatalf("Cancel() = %v", err)
		}
		<-time.After(time.Second)
		got, err := s.store.Task(t.Context(), k)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_CANCELED || !slices.Equal(a.canceled, []string{"r1"}) {
			t.Errorf("the task is in state %s, %v, and the agent was told to cancel %q, want canceled and [r1]", got.State, err, a.canceled)
		}
	})
}

// meddler is an agent that works for as long as it is let. When it is asked to stop, others change the task.
type meddler struct {
	*actor
	meddle func()
}

func (m *meddler) Cancel(ctx context.Context, id string, with *structpb.Struct) (*a2apb.Task, error) {
	m.meddle()
	return m.actor.Cancel(ctx, id, with)
}

// TestATaskWhoseDeadlineHasNotPassedAfterAllCanBeCanceled has the clock be wrong for a moment, in which the task is about to end.
func TestATaskWhoseDeadlineHasNotPassedAfterAllCanBeCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "slow", play: works("r1", make(chan struct{}, 9))}
		a.tasks = map[string]*a2apb.Task{"r1": remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, "")}
		a.executed = make(map[string]int)
		m := &meddler{actor: a}
		s := newStage(t, a)
		s.client = m
		var ahead atomic.Int64
		s.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		s.start()
		defer s.stop()
		k := s.accept("slow", "r")
		m.meddle = func() {
			ahead.Store(0)
			if _, err := s.store.Update(t.Context(), k, func(*orchestrator.Task) ([]orchestrator.Event, error) { return nil, nil }); err != nil {
				t.Error(err)
			}
		}
		<-time.After(5 * time.Minute)
		ahead.Store(int64(2 * orchestrator.DefaultDeadline))
		<-time.After(20 * time.Minute)
		if now, err := s.store.Task(t.Context(), k); err != nil || now.Ended() || len(a.canceled) != 1 {
			t.Fatalf("the task is in state %s, %v, after its agent was told %d times to stop, want it at work again", now.State, err, len(a.canceled))
		}
		m.meddle = func() {}
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
			t.Fatalf("Cancel() = %v", err)
		}
		<-time.After(time.Second)
		if got, err := s.store.Task(t.Context(), k); err != nil || got.State != a2apb.TaskState_TASK_STATE_CANCELED {
			t.Errorf("the task is in state %s, %v, a second after it was canceled", got.State, err)
		}
	})
}

// missed is an agent that cannot be reached when it is asked to stop for the first time.
type missed struct {
	*actor
	asked atomic.Bool
}

func (m *missed) Cancel(ctx context.Context, id string, with *structpb.Struct) (*a2apb.Task, error) {
	if m.asked.CompareAndSwap(false, true) {
		return nil, errAway
	}
	return m.actor.Cancel(ctx, id, with)
}

// TestAnAgentThatWasMissedIsAskedToStopOnceMore has a connection break when a task is canceled: its agent would work on for nobody.
func TestAnAgentThatWasMissedIsAskedToStopOnceMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan struct{}, 1)
		a := &missed{actor: &actor{name: "agent", play: works("r1", begun)}}
		s := newStage(t, a.actor)
		s.client = a
		s.start()
		defer s.stop()
		k := s.accept(a.name, "r")
		<-begun
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
			t.Fatalf("Cancel() = %v", err)
		}
		<-time.After(5 * time.Second)
		log, err := s.store.Events(t.Context(), k, 0, 100)
		if err != nil || len(a.canceled) != 1 {
			t.Fatalf("the agent was asked %d times to stop, %v, want once more than it was missed", len(a.canceled), err)
		}
		if end := log[len(log)-1]; end.State != a2apb.TaskState_TASK_STATE_CANCELED || !strings.Contains(end.Detail, "the agent stopped its task") {
			t.Errorf("the log ends with %+v, want the task canceled and the agent stopped", end)
		}
	})
}

// TestATaskThatWaitsIsCanceledAtOnce cancels many tasks at a time that have no runner: the one that begins with the news must not be stopped by it.
func TestATaskThatWaitsIsCanceledAtOnce(t *testing.T) {
	t.Parallel()
	const tasks = 3000
	synctest.Test(t, func(t *testing.T) {
		asks := &actor{name: "asks", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?"))
		}}
		s := newStage(t, asks)
		s.start()
		keys := make([]orchestrator.Key, tasks)
		for n := range keys {
			keys[n] = s.accept(asks.name, strconv.Itoa(n))
		}
		<-time.After(time.Second)
		var canceling sync.WaitGroup
		for _, k := range keys {
			canceling.Go(func() {
				if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
					t.Errorf("Cancel() = %v", err)
				}
			})
		}
		canceling.Wait()
		synctest.Wait() // no time passes: nobody looks for tasks that were forgotten
		forgotten := 0
		for _, k := range keys {
			if got, err := s.store.Task(t.Context(), k); err != nil || !got.Ended() {
				forgotten++
			}
		}
		if forgotten > 0 {
			t.Errorf("%d of %d tasks have not ended after they were canceled", forgotten, tasks)
		}
		s.stop()
	})
}

// TestWhatIsCanceledEndsCanceled has the deadline pass right after a task, or that of a step, was noted to be canceled: whoever canceled it was told
// that it would be, and a plan's task says so of its steps.
func TestWhatIsCanceledEndsCanceled(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]orchestrator.Route{"one agent": {Agent: "first"}, "a fan-out": toAll} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				works := &actor{name: "first", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
					if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "")); err != nil {
						return err
					}
					<-ctx.Done()
					return ctx.Err()
				}}
				s := newStage(t, works)
				s.client, s.actors = works, map[string]*actor{"first": {name: "first", skill: "work"}, "second": {name: "second", skill: "work"}}
				var ahead atomic.Int64
				s.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
				s.store.Written = func(t orchestrator.Task) {
					if t.CancelAsked && t.Plan == nil {
						ahead.Store(int64(2 * orchestrator.DefaultDeadline))
					}
				}
				s.start()
				defer s.stop()
				task, err := s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: route})
				if err != nil {
					t.Fatalf("Submit() = %v", err)
				}
				<-time.After(time.Minute)
				cancel := engine.Cancellation{Key: task.Key(), Caller: "tester", Again: true}
				if _, err = s.engine.Cancel(t.Context(), cancel); err != nil {
					t.Fatalf("Cancel() = %v", err)
				}
				<-time.After(time.Minute)
				if _, err = s.engine.Cancel(t.Context(), cancel); err != nil {
					t.Errorf("Cancel() = %v the second time, want no error", err)
				}
				if task, err = s.store.Task(t.Context(), task.Key()); err != nil || task.State != a2apb.TaskState_TASK_STATE_CANCELED {
					t.Errorf("Task() = state %s (%+v), %v, want canceled", task.State, task.Error, err)
				}
				for i, step := range planSteps(&task) {
					child, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: step.TaskID})
					if err != nil || child.State != step.State {
						t.Errorf("step %d is in state %s, and its task in %s (%+v), %v, want the same", i+1, step.State, child.State, child.Error, err)
					}
				}
			})
		})
	}
}
