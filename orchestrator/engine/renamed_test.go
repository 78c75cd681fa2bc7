package engine_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// renamer makes its answers anew each time that it is asked for a task, and its messages new ids.
type renamer struct {
	*actor
	answers atomic.Int64
}

func (r *renamer) Task(ctx context.Context, id string, history int32) (*a2apb.Task, error) {
	t, err := r.actor.Task(ctx, id, history)
	if t = proto.CloneOf(t); t.GetStatus().GetMessage() != nil {
		t.Status.Message.MessageId = "again-" + strconv.FormatInt(r.answers.Add(1), 10)
	}
	return t, err
}

// TestAQuestionWithAnotherIdIsTheSameQuestion has the agent wait for hours, and also asks it anew after a restart.
func TestAQuestionWithAnotherIdIsTheSameQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := &actor{name: "agent"}
		agent.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
			if m.GetTaskId() != "" {
				return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", m.GetParts()[0].GetText()))
			}
			question := remoteTask("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "how many?")
			question.Status.Message.MessageId = "q"
			agent.remember(question)
			return say(snapshotOf(question))
		}
		s := newStage(t, agent)
		s.client = &renamer{actor: agent}
		s.start()
		k := s.accept("agent", "r")
		<-time.After(2 * time.Hour)
		s.stop()
		s.start()
		<-time.After(2 * time.Hour)
		waiting, err := s.store.Task(t.Context(), k)
		if err != nil || waiting.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || len(waiting.Turns) != 1 {
			t.Fatalf("after hours: state %s (%+v) with %d turns and %d events, %v, want one question", waiting.State, waiting.Error, len(waiting.Turns), waiting.LastEvent, err)
		}
		if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("3")}); err != nil {
			t.Fatalf("Reply() = %v", err)
		}
		<-time.After(time.Minute)
		s.stop()
		task, err := s.store.Task(t.Context(), k)
		if err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(agent.sends()) != 2 {
			t.Errorf("state %s (%+v) after %d messages, %v, want completed after 2", task.State, task.Error, len(agent.sends()), err)
		}
	})
}
