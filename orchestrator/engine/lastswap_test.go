package engine_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// swapped is a store in which, once it is armed, a step is completed by another agent right after it was read.
type swapped struct {
	orchestrator.Store
	armed atomic.Bool
}

func (s *swapped) Task(ctx context.Context, k orchestrator.Key) (orchestrator.Task, error) {
	t, err := s.Store.Task(ctx, k)
	if err != nil || !t.IsStep() || !s.armed.CompareAndSwap(true, false) {
		return t, err
	}
	_, err = s.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Agent, t.Phase, t.State = "spare", orchestrator.PhaseDone, a2apb.TaskState_TASK_STATE_COMPLETED
		t.Artifacts = remoteTask("", t.State, "", "done").GetArtifacts()
		return nil, nil
	})
	return t, err
}

// TestWhatAStepMadeInTheLastMomentIsThatOfItsAgent has another agent take over and complete a step while its task is being canceled.
func TestWhatAStepMadeInTheLastMomentIsThatOfItsAgent(t *testing.T) {
	t.Parallel()
	list, begun := withASpare(), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	list[0].play = func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		begin()
		<-ctx.Done()
		return ctx.Err()
	}
	s := &swapped{}
	w := newWorldWith(t, func(w *world) {
		w.before = func(o orchestrator.Store) orchestrator.Store {
			s.Store = o
			return s
		}
	}, list...)
	id := w.submit(chained()).ID
	<-begun
	w.until(id, func(t *orchestrator.Task) bool { return stepRuns(t, 0) }) // the step may begin before the task says so
	s.armed.Store(true)
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester"}); err != nil {
		t.Fatal(err)
	}
	task, log := w.awaitEnd(id)
	if len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "spare/a" || task.Plan.Steps[0].Agent != "spare" {
		t.Errorf("the task has %v, and its first step was done by %s, want the artifact of the spare agent; log %v", task.Artifacts, task.Plan.Steps[0].Agent, log)
	}
}
