package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestAnAgentWhoseWorkNobodyTakesIsToldToStop has agents say more than a task takes.
func TestAnAgentWhoseWorkNobodyTakesIsToldToStop(t *testing.T) {
	t.Parallel()
	working, asks, done := a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, a2apb.TaskState_TASK_STATE_COMPLETED
	large := strings.Repeat("x", 5<<20)
	for name, test := range map[string]struct {
		says   *a2apb.StreamResponse
		reason string
		told   bool
	}{
		"it delivers too much and goes on":   {snapshot("r1", working, "", large), "ARTIFACTS_TOO_LARGE", true},
		"it asks too much":                   {snapshot("r1", asks, large), "QUESTION_TOO_LARGE", true},
		"it delivers too much and has ended": {snapshot("r1", done, "", large), "ARTIFACTS_TOO_LARGE", false},
		"it answers too much without a task": {&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: text(large)}}, "ARTIFACTS_TOO_LARGE", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &actor{name: "agent", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
				if err := say(test.says); err != nil {
					return err
				}
				<-ctx.Done()
				return ctx.Err()
			}}
			w := newWorld(t, a)
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.Error == nil || task.Error.Reason != test.reason {
				t.Errorf("state %s (%+v), want %s; log %v", task.State, task.Error, test.reason, log)
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			if told := slices.Equal(a.canceled, []string{"r1"}); told != test.told || !told && len(a.canceled) > 0 {
				t.Errorf("the agent was told to stop %q, want that %t", a.canceled, test.told)
			}
			if noted := slices.ContainsFunc(log, func(e orchestrator.Event) bool { return e.Detail == "the agent stopped its task" }); noted != test.told {
				t.Errorf("the log is %v, want it to say that the agent stopped: %t", log, test.told)
			}
		})
	}
}
