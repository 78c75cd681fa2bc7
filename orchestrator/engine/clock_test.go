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

// TestADeadlineIsByTheClockOfTheEngine has the machine's clock ahead of that of the store, by which the engine goes: by the machine's clock the deadline has
// passed.
func TestADeadlineIsByTheClockOfTheEngine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "agent", play: func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		if ctx.Err() != nil { // nothing is sent any more
			return context.Cause(ctx)
		}
		return delivers("done")(ctx, m, say)
	}})
	w.restartAt(func() time.Time { return time.Now().Add(-time.Hour) })
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}, Deadline: w.now().Add(time.Minute)}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state %s (%+v), want completed; log %v", task.State, task.Error, log)
	}
}

// TestADeadlineIsNoticedWhenTheClockIsSetForward has the clock set forward, as after a machine has slept, while an agent works, or waits for its caller.
func TestADeadlineIsNoticedWhenTheClockIsSetForward(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]a2apb.TaskState{
		"at work": a2apb.TaskState_TASK_STATE_WORKING, "waiting": a2apb.TaskState_TASK_STATE_INPUT_REQUIRED,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &actor{name: "agent"}
				a.play = func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
					said := snapshot("r1", state, "well")
					a.remember(said.GetTask())
					if err := say(said); err != nil || orchestrator.Interrupted(state) {
						return err
					}
					<-ctx.Done()
					return ctx.Err()
				}
				s := newStage(t, a)
				var ahead atomic.Int64
				s.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
				s.start()
				defer s.stop()
				k := s.accept(a.name, "r")
				<-time.After(time.Hour)
				ahead.Store(int64(orchestrator.DefaultDeadline))
				<-time.After(2 * time.Minute) // in which tasks are looked for
				if got, err := s.store.Task(t.Context(), k); err != nil || got.Error == nil || got.Error.Reason != "DEADLINE_EXCEEDED" {
					t.Errorf("the task is in state %s (%+v), %v, want DEADLINE_EXCEEDED", got.State, got.Error, err)
				}
			})
		})
	}
}
