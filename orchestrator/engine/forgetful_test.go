package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

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
