package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
)

// unread is a store of consultations that says nothing of them while it is away.
type unread struct {
	consultation.Store
	away *atomic.Bool
}

func (s unread) List(ctx context.Context, tenant, taskID string) ([]consultation.Entry, error) {
	if s.away.Load() {
		return nil, errors.New("away")
	}
	return s.Store.List(ctx, tenant, taskID)
}

// TestAGateWhoseEvidenceCannotBeReadIsLookedAtAgainSoon has the store come back when nothing else wakes the task for half a minute.
func TestAGateWhoseEvidenceCannotBeReadIsLookedAtAgainSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newDesk(t)
		var away atomic.Bool
		away.Store(true)
		s.asked = unread{s.asked, &away}
		s.start()
		defer s.stop()
		task, err := s.engine.Submit(t.Context(), heldBack)
		if err != nil {
			t.Fatal(err)
		}
		look := func(state a2apb.TaskState, verdict string) {
			t.Helper()
			got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
			if err != nil || got.State != state || len(got.Gates) != 1 || got.Gates[0].Requirements[0].Verdict != verdict {
				t.Errorf("the task is in state %s with the gates %+v, %v, want %s with the verdict %s", got.State, got.Gates, err, state, verdict)
			}
		}
		<-time.After(20 * time.Second)
		look(a2apb.TaskState_TASK_STATE_WORKING, consultation.VerdictUnavailable)
		away.Store(false)
		<-time.After(2 * time.Second)
		look(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, consultation.VerdictMissing)
	})
}
