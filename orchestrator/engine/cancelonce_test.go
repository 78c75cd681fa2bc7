package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator/engine"
)

// missed is an agent that cannot be reached when it is asked to stop for the first time.
type missed struct {
	*actor
	asked atomic.Bool
}

func (m *missed) Cancel(ctx context.Context, id string, with *structpb.Struct) (*a2apb.Task, error) {
	if m.asked.CompareAndSwap(false, true) {
		return nil, errAway
	}
	return m.actor.Cancel(ctx, id, with)
}

// TestAnAgentThatWasMissedIsAskedToStopOnceMore has a connection break when a task is canceled: its agent would work on for nobody.
func TestAnAgentThatWasMissedIsAskedToStopOnceMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan struct{}, 1)
		a := &missed{actor: &actor{name: "agent", play: works("r1", begun)}}
		s := newStage(t, a.actor)
		s.client = a
		s.start()
		defer s.stop()
		k := s.accept(a.name, "r")
		<-begun
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
			t.Fatalf("Cancel() = %v", err)
		}
		<-time.After(5 * time.Second)
		log, err := s.store.Events(t.Context(), k, 0, 100)
		if err != nil || len(a.canceled) != 1 {
			t.Fatalf("the agent was asked %d times to stop, %v, want once more than it was missed", len(a.canceled), err)
		}
		if end := log[len(log)-1]; end.State != a2apb.TaskState_TASK_STATE_CANCELED || !strings.Contains(end.Detail, "the agent stopped its task") {
			t.Errorf("the log ends with %+v, want the task canceled and the agent stopped", end)
		}
	})
}
