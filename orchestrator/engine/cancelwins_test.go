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
)

// TestWhatIsCanceledEndsCanceled has the deadline pass right after a task, or that of a step, was noted to be canceled: whoever canceled it was told
// that it would be, and a plan's task says so of its steps.
func TestWhatIsCanceledEndsCanceled(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]orchestrator.Route{"one agent": {Agent: "first"}, "a fan-out": toAll} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				works := &actor{name: "first", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
					if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "")); err != nil {
						return err
					}
					<-ctx.Done()
					return ctx.Err()
				}}
				s := newStage(t, works)
				s.actors = map[string]*actor{"first": {name: "first", skill: "work"}, "second": {name: "second", skill: "work"}}
				var ahead atomic.Int64
				s.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
				s.store.Written = func(t orchestrator.Task) {
					if t.CancelAsked && t.Plan == nil {
						ahead.Store(int64(2 * orchestrator.DefaultDeadline))
					}
				}
				s.start()
				defer s.stop()
				task, err := s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: route})
				if err != nil {
					t.Fatalf("Submit() = %v", err)
				}
				<-time.After(time.Minute)
				cancel := engine.Cancellation{Key: task.Key(), Caller: "tester", Again: true}
				if _, err = s.engine.Cancel(t.Context(), cancel); err != nil {
					t.Fatalf("Cancel() = %v", err)
				}
				<-time.After(time.Minute)
				if _, err = s.engine.Cancel(t.Context(), cancel); err != nil {
					t.Errorf("Cancel() = %v the second time, want no error", err)
				}
				if task, err = s.store.Task(t.Context(), task.Key()); err != nil || task.State != a2apb.TaskState_TASK_STATE_CANCELED {
					t.Errorf("Task() = state %s (%+v), %v, want canceled", task.State, task.Error, err)
				}
				for i, step := range planSteps(&task) {
					child, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: step.TaskID})
					if err != nil || child.State != step.State {
						t.Errorf("step %d is in state %s, and its task in %s (%+v), %v, want the same", i+1, step.State, child.State, child.Error, err)
					}
				}
			})
		})
	}
}
