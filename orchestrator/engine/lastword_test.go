package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestAQuestionIsNotTheLastWordOfATask ends a task whose agent has asked something: its last status says nothing about the question, which would
// otherwise stand in place of what the agent delivered, or of why the task failed.
func TestAQuestionIsNotTheLastWordOfATask(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(w *world, id string)
		want a2apb.TaskState
	}{
		"answered": {func(w *world, id string) { w.reply(id, "blue", "1") }, a2apb.TaskState_TASK_STATE_COMPLETED},
		"canceled": {func(w *world, id string) {
			if _, err := w.engine.Cancel(w.t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester"}); err != nil {
				w.t.Error(err)
			}
		}, a2apb.TaskState_TASK_STATE_CANCELED},
		"out of time": {func(*world, string) {}, a2apb.TaskState_TASK_STATE_FAILED},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, asksBeforeWork())
				asked, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "asker"}, Deadline: time.Now().Add(time.Second)}).ID)
				if messageOf(asked.StatusMessage) != "which?" {
					t.Fatalf("the task waits saying %v, want the question", asked.StatusMessage)
				}
				test.end(w, asked.ID)
				done, _ := w.awaitEnd(asked.ID)
				if done.State != test.want || done.StatusMessage != nil || messageOf(done.Turns[0].Message) != "which?" {
					t.Errorf("the task is in state %s saying %v after %v, want %s, nothing, and the question among the turns", done.State, done.StatusMessage, done.Turns, test.want)
				}
			})
		})
	}
}

// TestProgressIsNotTheLastWordOfATask has an agent say what it does, and then complete its task without a word.
func TestProgressIsNotTheLastWordOfATask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "busy"}
		a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			for _, task := range []*a2apb.Task{remoteTask("r", a2apb.TaskState_TASK_STATE_WORKING, "on it"), remoteTask("r", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")} {
				if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: task}}); err != nil {
					return err
				}
				<-time.After(time.Second) // what it says is stored by then
			}
			return nil
		}
		w := newWorld(t, a)
		if done, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "busy"}}).ID); done.StatusMessage != nil || len(done.Artifacts) != 1 {
			t.Errorf("the task is completed saying %v with %d artifacts, want nothing and one", done.StatusMessage, len(done.Artifacts))
		}
	})
}

// asksBeforeWork is an agent that asks, and that begins the answer to the reply with its task as it was, as the SDKs of the A2A project do.
func asksBeforeWork() *actor {
	a := &actor{name: "asker"}
	a.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		asked := remoteTask("r", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?")
		if m.GetTaskId() == "" {
			a.remember(asked)
			return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: asked}})
		}
		done := remoteTask("r", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
		a.remember(done)
		for _, task := range []*a2apb.Task{asked, remoteTask("r", a2apb.TaskState_TASK_STATE_WORKING, ""), done} {
			if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: task}}); err != nil {
				return err
			}
		}
		return nil
	}
	return a
}

// TestTheLastWordOfATaskIsKept has an agent say something with the end of its task.
func TestTheLastWordOfATaskIsKept(t *testing.T) {
	t.Parallel()
	for _, state := range []a2apb.TaskState{a2apb.TaskState_TASK_STATE_COMPLETED, a2apb.TaskState_TASK_STATE_FAILED} {
		t.Run(state.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &actor{name: "agent", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				return say(snapshot("r", state, "as far as I could"))
			}})
			if task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID); task.State != state || messageOf(task.StatusMessage) != "as far as I could" {
				t.Errorf("the task is in state %s saying %v, want %s and the words of its agent", task.State, task.StatusMessage, state)
			}
		})
	}
}
