package engine

import (
	"context"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// Cancel records that a task is to be canceled and returns the task; its agent is told, and the task ends soon after. Canceling again has no further
// effect. A task that has ended is a FailedPrecondition fault with the reason TASK_ENDED. If etag is not empty and not the task's, the result is a
// Conflict fault with the reason ETAG_MISMATCH.
func (e *Engine) Cancel(ctx context.Context, k orchestrator.Key, who, etag string) (orchestrator.Task, error) {
	t, err := e.update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		if t.Ended() {
			return nil, fault.New(fault.FailedPrecondition, "TASK_ENDED", "task %s has already ended (%s)", t.ID, t.State).With("task", t.ID)
		}
		if t.CancelAsked {
			return nil, orchestrator.ErrUnchanged
		}
		if err := t.Match(etag); err != nil {
			return nil, err
		}
		t.CancelAsked = true
		return []orchestrator.Event{event(t, orchestrator.EventCanceling, who+" asked for the end of the task")}, nil
	})
	if err != nil {
		return t, err
	}
	e.interrupt(k)
	return t, nil
}
