package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// TestATaskEndsHoweverMuchItsAgentsSay has a hundred agents take the place of each other, each of which turns Quorate away with as many words as are kept.
func TestATaskEndsHoweverMuchItsAgentsSay(t *testing.T) {
	t.Parallel()
	const agents = 100
	for name, test := range map[string]struct {
		fanOut *orchestrator.FanOut
		reason string
	}{"of one agent": {nil, agentclient.ReasonDenied}, "of a fan-out": {&orchestrator.FanOut{Mode: orchestrator.PlanAny, Agents: 20}, "STEPS_FAILED"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []*actor
			for i := range agents {
				list = append(list, &actor{name: fmt.Sprintf("agent-%02d", i), skill: "work", play: func(context.Context, *a2apb.Message, agentclient.Each) error {
					return fault.New(fault.FailedPrecondition, agentclient.ReasonDenied, "%s", strings.Repeat("no, ", 1000))
				}})
			}
			w := newWorld(t, list...)
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: test.fanOut}}).ID)
			tried := len(task.Attempts)
			if task.Plan != nil {
				tried = len(task.Plan.Steps)
			}
			if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != test.reason || tried != agents {
				t.Errorf("state %s (%s) after %d agents were tried, want failed with %s after %d", task.State, task.Error.Reason, tried, test.reason, agents)
			}
		})
	}
}
