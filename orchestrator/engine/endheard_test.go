package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
)

// TestAnEndThatWasHeardIsKeptByAProcessThatStops stops a process between the end of an agent's task and that of its stream. The agent would do the work
// again, or must not be asked to.
func TestAnEndThatWasHeardIsKeptByAProcessThatStops(t *testing.T) {
	t.Parallel()
	for name, once := range map[string]bool{"the work may be done twice": false, "the work must not be done twice": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &actor{name: "lingers", once: once, play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
					err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: text("done")}})
					<-ctx.Done()
					return err
				}}
				s := newStage(t, a)
				s.start()
				k := s.accept(a.name, "r")
				synctest.Wait()
				s.stop()
				s.start()
				<-time.After(time.Minute)
				s.stop()
				got, err := s.store.Task(t.Context(), k)
				if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(got.Artifacts) != 1 {
					t.Errorf("the task is in state %s (%+v) with %d artifacts, %v, want completed with 1", got.State, got.Error, len(got.Artifacts), err)
				}
				if n := len(a.sends()); n != 1 {
					t.Errorf("the agent was asked %d times, want once", n)
				}
			})
		})
	}
}
