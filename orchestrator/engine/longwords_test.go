package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// TestAnErrorOfAnyLengthEndsItsTask has the exchange with an agent fail for a reason that no store takes. A task whose end cannot be written is sent
// again and again.
func TestAnErrorOfAnyLengthEndsItsTask(t *testing.T) {
	for name, kind := range map[string]fault.Kind{"for good": fault.FailedPrecondition, "for now": fault.Unavailable} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			a := &actor{name: "agent"}
			a.play = func(context.Context, *a2apb.Message, agentclient.Each) error {
				sent++
				if sent > 1 {
					kind = fault.FailedPrecondition
				}
				reason := agentclient.ReasonRefused
				if kind == fault.Unavailable {
					reason = agentclient.ReasonUnreachable
				}
				return fault.New(kind, reason, "%s", strings.Repeat("é", 1<<20))
			}
			w := newWorld(t, a)
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != agentclient.ReasonRefused || !strings.HasPrefix(task.Error.Message, "éé") || sent > 2 {
				t.Errorf("state %s, error %s with %d bytes, sent %d times, want it failed", task.State, task.Error.Reason, len(task.Error.Message), sent)
			}
		})
	}
}

// narrow is a store that never takes what an agent has said so far.
type narrow struct{ orchestrator.Store }

func (s narrow) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	return s.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		events, err := change(t)
		if a := t.OpenAttempt(); err == nil && a != nil && a.RemoteTaskID != "" {
			return nil, fault.Invalid("task", "ITEM_TOO_LARGE", "the task is too large")
		}
		return events, err
	})
}

// TestWhatNoStoreTakesEndsItsTask has an agent work on a task, and say what no store takes.
func TestWhatNoStoreTakesEndsItsTask(t *testing.T) {
	a := &actor{name: "agent"}
	a.play = func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
		task := &a2apb.Task{Id: "r1", ContextId: "c", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING}}
		a.remember(task)
		if err := say(snapshotOf(task)); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	w := newWorld(t, a)
	w.before = func(s orchestrator.Store) orchestrator.Store { return narrow{s} }
	w.restart()
	ended, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if ended.State != a2apb.TaskState_TASK_STATE_FAILED || ended.Error.Reason != "ITEM_TOO_LARGE" || len(a.sends()) != 1 {
		t.Errorf("state %s, error %+v, sent %d times, want it failed at once", ended.State, ended.Error, len(a.sends()))
	}
}
