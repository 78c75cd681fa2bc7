package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
)

// TestACancellationThatNobodyTellsOfIsFound writes down that a task is to be canceled as a replica does that dies before it tells the one whose agent
// is at work.
func TestACancellationThatNobodyTellsOfIsFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "slow", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
			if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "")); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		s := newStage(t, a)
		s.start()
		k := s.accept(a.name, "r")
		<-time.After(10 * time.Minute)
		if _, err := s.store.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.CancelAsked = true
			return nil, nil
		}); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Minute) // in which tasks are looked for
		got, err := s.store.Task(t.Context(), k)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_CANCELED || len(a.canceled) != 1 {
			t.Errorf("the task is in state %s, %v, and the agent was asked %d times to stop, want canceled, once", got.State, err, len(a.canceled))
		}
		s.stop()
	})
}
