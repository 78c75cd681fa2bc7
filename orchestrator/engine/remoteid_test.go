package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestTheIDsOfAnAgentAreBounded has agents choose ids that are texts, for their task, its context and their question.
func TestTheIDsOfAnAgentAreBounded(t *testing.T) {
	long := strings.Repeat("x", 400<<10)
	for name, change := range map[string]func(*a2apb.Task){
		"a task":    func(r *a2apb.Task) { r.Id = long },
		"a context": func(r *a2apb.Task) { r.ContextId = long },
		"a question": func(r *a2apb.Task) {
			r.Status = &a2apb.TaskStatus{
				State: a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, Message: &a2apb.Message{MessageId: long[:200<<10], Parts: text("which?").GetParts()},
			}
		},
	} {
		for _, state := range []a2apb.TaskState{a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_COMPLETED} {
			agent := &actor{name: "agent"}
			agent.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				r := snapshot("r1", state, "")
				change(r.GetTask())
				agent.remember(r.GetTask())
				return say(r)
			}
			w := newWorld(t, agent)
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.Error == nil || task.Error.Reason != agentclient.ReasonAnswerInvalid || len(agent.sends()) != 1 {
				t.Errorf("with an id of %s in state %s the task ended as %s (%v) after %d sends, want %s", name, state, task.State, task.Error, len(agent.sends()), agentclient.ReasonAnswerInvalid)
			}
		}
	}
}
