package engine

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

// errMoved means that the task changed during a step, which is then repeated with the current state.
var errMoved = errors.New("the task changed meanwhile")

// update writes a change and wakes those who watch the task.
func (e *Engine) update(ctx context.Context, k orchestrator.Key, edit func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	now := e.now()
	var before a2apb.TaskState
	t, err := e.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		before = t.State
		ended := t.Ended()
		events, err := edit(t)
		if err != nil {
			return nil, err
		}
		notePushDue(t, before, len(events))
		if !ended { // what its receivers are told does not change a task
			t.UpdateTime = now
		}
		for i := range events {
			events[i].Time = now
		}
		return events, nil
	})
	if err == nil {
		e.watchers.notify(k)
		e.wakeParent(&t, before)
		e.queuePush(&t)
	}
	return t, err
}

// condition reports whether a change still applies to a task that was read before it, and is stored as now.
type condition func(read, now *orchestrator.Task) bool

// change edits a task and returns what its log says of that.
type change func(*orchestrator.Task) []orchestrator.Event

// updateOwned writes a change as the task's owner, provided that this replica still is the owner and still(read, now) is true.
func (e *Engine) updateOwned(ctx context.Context, read *orchestrator.Task, still condition, do change) (orchestrator.Task, error) {
	return e.update(ctx, read.Key(), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		if t.OwnerEpoch > read.OwnerEpoch || t.Ended() || !still(read, t) {
			return nil, errMoved
		}
		t.OwnerEpoch = read.OwnerEpoch
		return do(t), nil
	})
}

// transition is updateOwned for a change that another step follows.
func (e *Engine) transition(ctx context.Context, read *orchestrator.Task, still condition, do change) (stepResult, error) {
	t, err := e.updateOwned(ctx, read, still, do)
	if err != nil {
		return stepResult{}, err
	}
	if t.Ended() {
		e.meters.end(ctx, &t)
		e.fresh.forget(t.Key()) // a task may end before it was sent
		if !t.Untold {
			return stepResult{wait: forever}, nil
		}
	}
	return stepResult{again: true}, nil
}

// sameVersion reports whether nothing has changed the task since it was read, so that what was judged is what is stored.
func sameVersion(read, now *orchestrator.Task) bool { return now.Version == read.Version }

// sameAttempt reports whether the task is still in the attempt in which it was read. Others may have added to its log meanwhile: an agent's result is
// not dropped because somebody asked for a consultation.
func sameAttempt(read, now *orchestrator.Task) bool {
	return now.Phase == orchestrator.PhaseExecution && !now.CancelAsked && len(now.Attempts) == len(read.Attempts)
}

// unconditionally returns true.
func unconditionally(_, _ *orchestrator.Task) bool { return true }

// attemptOpen reports whether the task is still in the attempt in which it was read, even if it is to be canceled.
func attemptOpen(read, now *orchestrator.Task) bool {
	return now.Phase == orchestrator.PhaseExecution && len(now.Attempts) == len(read.Attempts)
}
