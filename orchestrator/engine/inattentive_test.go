package engine_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// inattentive is an asker that takes replies, and goes on showing its question as if there were none.
type inattentive struct{ *asker }

func (d inattentive) Send(ctx context.Context, m *a2apb.Message, stream bool, each agentclient.Each) error {
	if m.GetTaskId() == "" {
		return d.asker.Send(ctx, m, stream, each)
	}
	t, err := d.Task(ctx, m.GetTaskId(), 0)
	if err != nil {
		return err
	}
	return each(snapshotOf(t))
}

// TestAnAgentThatGoesOnShowingItsQuestionAsksAgain wants that a caller is not left waiting whose reply has come to nothing.
func TestAnAgentThatGoesOnShowingItsQuestionAsksAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: inattentive{newAsker()}}
		s.start()
		defer s.stop()
		k := s.accept("worker", "r")
		<-time.After(5 * time.Second)
		if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("one")}); err != nil {
			t.Fatalf("Reply() = %v", err)
		}
		for _, want := range []struct {
			after time.Duration
			state a2apb.TaskState
			turns int
		}{{5 * time.Second, a2apb.TaskState_TASK_STATE_WORKING, 2}, {15 * time.Second, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, 3}} {
			<-time.After(want.after)
			got, err := s.store.Task(t.Context(), k)
			if err != nil || got.State != want.state || len(got.Turns) != want.turns {
				t.Errorf("the task is in state %s with %d turns, %v, want %s with %d", got.State, len(got.Turns), err, want.state, want.turns)
			}
		}
	})
}

// TestAReplyToATaskThatTheAgentHasForgottenIsNotGivenToTheNext has an agent forget its task once it has asked: it begins anew, and asks anew.
func TestAReplyToATaskThatTheAgentHasForgottenIsNotGivenToTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := newAsker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent}
		s.start()
		defer s.stop()
		k := s.accept("worker", "r")
		<-time.After(5 * time.Second)
		agent.mu.Lock()
		clear(agent.tasks)
		clear(agent.said)
		agent.mu.Unlock()
		for _, said := range []string{"lost", "one", "two"} {
			if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text(said)}); err != nil {
				t.Errorf("Reply(%q) = %v", said, err)
			}
			<-time.After(20 * time.Second)
		}
		got, err := s.store.Task(t.Context(), k)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || got.Attempts[0].Sends != 2 {
			t.Errorf("the task is in state %s (%+v) after the attempts %+v, %v, want completed in one, sent twice", got.State, got.Error, got.Attempts, err)
		}
		agent.mu.Lock()
		defer agent.mu.Unlock()
		for _, said := range agent.said {
			if want := []string{"do it", "one", "two"}; !slices.Equal(said, want) {
				t.Errorf("the agent was told %q, want %q", said, want)
			}
		}
	})
}
