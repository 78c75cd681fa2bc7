package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestAReplyIsNotSentOnceOthersMayHaveTheTask has an agent take long to say how its task is, before it gets a reply, and the leases run out meanwhile: whoever has
// the task by then may have sent that reply, and the next.
func TestAReplyIsNotSentOnceOthersMayHaveTheTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &hesitant{actor: &actor{name: "agent"}}
		a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			asks := snapshot("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?")
			a.remember(asks.GetTask())
			return say(asks)
		}
		s := newStage(t, a.actor)
		s.client = a
		var silent atomic.Bool
		s.beats = func(l orchestrator.LeaseStore) orchestrator.LeaseStore { return silentLeases{l, &silent} }
		s.start()
		defer s.stop()
		k := s.accept(a.name, "r")
		<-time.After(time.Minute)
		silent.Store(true)
		a.hesitates.Store(true)
		if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("that one")}); err != nil {
			t.Fatalf("Reply() = %v", err)
		}
		<-time.After(10 * time.Minute)
		if n := len(a.sends()); n != 1 {
			t.Errorf("the agent got %d messages, want the first only", n)
		}
		silent.Store(false)
		a.hesitates.Store(false)
		<-time.After(10 * time.Minute)
		if n := len(a.sends()); n != 2 {
			t.Errorf("the agent got %d messages, want the reply as well once the leases are back", n)
		}
	})
}

// hesitant is an agent that takes longer than leases last to say how its task is.
type hesitant struct {
	*actor

	hesitates atomic.Bool
}

func (h *hesitant) Task(ctx context.Context, id string, history int32) (*a2apb.Task, error) {
	if h.hesitates.Load() {
		<-time.After(5 * time.Minute)
	}
	return h.actor.Task(ctx, id, history)
}

// silentLeases is a store of leases that does not answer signs of life while it is silent.
type silentLeases struct {
	orchestrator.LeaseStore
	silent *atomic.Bool
}

func (l silentLeases) Beat(ctx context.Context, n orchestrator.Node) error {
	if l.silent.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return l.LeaseStore.Beat(ctx, n)
}
