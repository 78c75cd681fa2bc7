package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
)

// TestTheNameOfATaskWaitsForTheStore has an agent name its task, whose work must not be done twice, and a store that does not take the name for a moment or for long.
func TestTheNameOfATaskWaitsForTheStore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refused int64
		reason  string
	}{
		"for a moment":               {3, ""},
		"for longer than it is kept": {100, "OUTCOME_UNKNOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { nameATask(t, test.refused, test.reason) })
		})
	}
}

func nameATask(t *testing.T, refused int64, reason string) {
	t.Helper()
	works := time.Duration(0)
	agent := &actor{name: "agent", once: true}
	agent.play = func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
		if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "on it")); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(works):
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
		}
	}
	task, got := submitTwice(t, agent, func() { works = time.Minute }, refused)
	if got != reason {
		t.Errorf("the task ended as %s with %q, want %q", task.State, got, reason)
	}
}
