package engine_test

import (
	"context"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// TestAnAgentThatTakesNoTaskIsLeftAlone has two agents of one skill. One of them is broken in some way, and so has nothing to do whenever a task comes.
func TestAnAgentThatTakesNoTaskIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(say agentclient.Each) error{
		"it answers with errors": func(agentclient.Each) error {
			return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "HTTP 500")
		},
		"it does not speak A2A": func(agentclient.Each) error {
			return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "<html>")
		},
		"it denies access": func(agentclient.Each) error {
			return fault.New(fault.FailedPrecondition, agentclient.ReasonDenied, "HTTP 403")
		},
		"it rejects them": func(say agentclient.Each) error {
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_REJECTED, "no"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := &actor{name: "broken", skill: "work", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error { return answer(say) }}
			w := newWorld(t, broken, &actor{name: "well", skill: "work", status: registry.StatusAvailable, play: delivers("done")})
			for range 30 {
				w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID)
			}
			if got := len(broken.sends()); got > 4 {
				t.Errorf("%d of 30 tasks were sent to the agent that takes none, want few", got)
			}
		})
	}
}
