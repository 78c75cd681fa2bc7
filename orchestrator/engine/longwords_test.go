package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// TestAnErrorOfAnyLengthEndsItsTask has the exchange with an agent fail for a reason that no store takes. A task whose end cannot be written is sent again and
// again.
func TestAnErrorOfAnyLengthEndsItsTask(t *testing.T) {
	for name, kind := range map[string]fault.Kind{"for good": fault.FailedPrecondition, "for now": fault.Unavailable} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			a := &actor{name: "agent"}
			a.play = func(context.Context, *a2apb.Message, agentclient.Each) error {
				sent++
				if sent > 1 {
					kind = fault.FailedPrecondition
				}
				reason := agentclient.ReasonRefused
				if kind == fault.Unavailable {
					reason = agentclient.ReasonUnreachable
				}
				return fault.New(kind, reason, "%s", strings.Repeat("é", 1<<20))
			}
			w := newWorld(t, a)
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != agentclient.ReasonRefused || !strings.HasPrefix(task.Error.Message, "éé") || sent > 2 {
				t.Errorf("state %s, error %s with %d bytes, sent %d times, want it failed", task.State, task.Error.Reason, len(task.Error.Message), sent)
			}
		})
	}
}
