package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// firstQuick is a worker that has done the work of the first message when it answers, and takes its time for others.
type firstQuick struct {
	*worker
	answered atomic.Bool
}

func (q *firstQuick) Send(ctx context.Context, m *a2apb.Message, stream bool, each agentclient.Each) error {
	if q.answered.CompareAndSwap(false, true) {
		return prompt{q.worker}.Send(ctx, m, stream, each)
	}
	return q.worker.Send(ctx, m, stream, each)
}

// TestAPlanEndsThoughItsStepsAreNoLongerKept has no replica run for so long that the retention of a completed step is over, which begins with the deadline.
func TestAPlanEndsThoughItsStepsAreNoLongerKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker()
		w.takes = 24 * time.Hour
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: &firstQuick{worker: w}, actors: map[string]*actor{
			"one": {name: "one", skill: "work"}, "two": {name: "two", skill: "work"},
		}}
		s.start()
		task, err := s.engine.Submit(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("do it"), Route: toAll, Deadline: time.Now().Add(time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		s.minutes(1)
		s.stop()
		k := task.Key()
		half, err := s.store.Task(t.Context(), k)
		if err != nil || half.Plan.Completed() != 1 {
			t.Fatalf("the plan is %+v, %v, want one step completed", half.Plan, err)
		}
		for i := range half.Plan.Steps {
			if step := &half.Plan.Steps[i]; step.State == a2apb.TaskState_TASK_STATE_COMPLETED {
				s.store.Forget(orchestrator.Key{Tenant: tenant, ID: step.TaskID})
			}
		}
		<-time.After(2 * time.Hour)
		s.start()
		s.minutes(5)
		s.stop()
		got, err := s.store.Task(t.Context(), k)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_FAILED || got.Error.Reason != "DEADLINE_EXCEEDED" {
			t.Errorf("the task is in state %s (%+v), %v, want failed by its deadline", got.State, got.Error, err)
		}
	})
}
