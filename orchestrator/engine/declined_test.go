package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// TestAnAgentThatRefusesAReplyAsksAgain has one that takes numbers only, and goes on waiting for one.
func TestAnAgentThatRefusesAReplyAsksAgain(t *testing.T) {
	t.Parallel()
	agent := &actor{name: "agent"}
	question := remoteTask("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "how many?")
	question.Status.Message.MessageId = "q"
	agent.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		switch {
		case m.GetTaskId() == "":
			agent.remember(question)
			return say(snapshotOf(question))
		case m.GetParts()[0].GetText() != "3":
			return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "a number, please")
		default:
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "three"))
		}
	}
	w := newWorld(t, agent)
	id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID
	for i, reply := range []string{"many", "very many", "3"} {
		task, log := w.await(id)
		if task.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || len(task.Turns) != 2*i+1 || messageOf(task.StatusMessage) != "how many?" {
			t.Fatalf("after %d replies: state %s (%+v) with %d turns and the question %v, want that the agent asks again; log %v", i, task.State, task.Error, len(task.Turns), task.StatusMessage, log)
		}
		if said := slices.ContainsFunc(log, func(e orchestrator.Event) bool {
			return strings.Contains(e.Detail, "agent did not take message 2 and still waits for one: a number, please")
		}); said != (i > 0) {
			t.Errorf("after %d replies the log says why the agent asks again: %t; log %v", i, said, log)
		}
		if _, err := w.engine.Reply(t.Context(), engine.Reply{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester", Message: text(reply)}); err != nil {
			t.Fatalf("Reply(%q) = %v", reply, err)
		}
	}
	if task, log := w.awaitEnd(id); task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(agent.sends()) != 4 {
		t.Errorf("state %s (%+v) after %d messages, want completed after 4; log %v", task.State, task.Error, len(agent.sends()), log)
	}
}

func messageOf(m *a2apb.Message) string {
	if len(m.GetParts()) == 0 {
		return ""
	}
	return m.GetParts()[0].GetText()
}

// TestAnAgentMayTakeItsTimeWithAReply has the connection break behind a reply, which the agent begins to work on a little later.
func TestAnAgentMayTakeItsTimeWithAReply(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]bool{"and says nothing until then": false, "and shows its question once more": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				agent := &actor{name: "agent"}
				question := remoteTask("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "how many?")
				question.Status.Message.MessageId = "q"
				agent.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
					if m.GetTaskId() == "" {
						agent.remember(question)
						return say(snapshotOf(question))
					}
					replied := &a2apb.Task{Id: "r1", Status: question.GetStatus(), History: []*a2apb.Message{m}}
					agent.remember(replied)
					time.AfterFunc(5*time.Second, func() { agent.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "three")) })
					if says {
						if err := say(snapshotOf(replied)); err != nil {
							return err
						}
					}
					return errCut
				}
				s := newStage(t, agent)
				s.start()
				k := s.accept("agent", "r")
				<-time.After(time.Second)
				if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("3")}); err != nil {
					t.Fatalf("Reply() = %v", err)
				}
				<-time.After(4 * time.Second)
				if task, err := s.store.Task(t.Context(), k); err != nil || task.State != a2apb.TaskState_TASK_STATE_WORKING || len(task.Turns) != 2 {
					t.Errorf("state %s with %d turns, %v, want working after the reply", task.State, len(task.Turns), err)
				}
				<-time.After(time.Minute)
				s.stop()
				if task, err := s.store.Task(t.Context(), k); err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(agent.sends()) != 2 {
					t.Errorf("state %s (%+v) after %d messages, %v, want completed after 2", task.State, task.Error, len(agent.sends()), err)
				}
			})
		})
	}
}
