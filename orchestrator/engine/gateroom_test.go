package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestATaskEndsWhoseGateDoesNotFit has attributes leave room for the end of a task, and not for the verdict of its gate.
func TestATaskEndsWhoseGateDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"pre-execution", "pre-completion"} {
		t.Run(phase, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement(phase)}, &actor{name: "reviewer"})
			attributes := consultation.Attributes{"sensitive": true}
			for i := range 60 {
				attributes[fmt.Sprint("note-", i)] = strings.Repeat("x", 5810)
			}
			task, log := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: attributes}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "ITEM_TOO_LARGE" || task.Released && len(task.Artifacts) > 0 {
				t.Errorf("state %s (%+v), released %t, want failed since it is too large, and what was delivered held back; log %v", task.State, task.Error, task.Released, log)
			}
		})
	}
}
