package engine_test

import (
	"context"
	"slices"
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
