package engine

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

// stepResult says what follows a step: another one at once, or a wait. A wait of 0 lasts until something happens; forever is for a task that has ended.
type stepResult struct {
	again bool
	wait  time.Duration
}

const forever = -1

// step does the one thing that is due for the task. It ends a task that has no room for what came of that: it would be done again and again.
func (e *Engine) step(ctx context.Context, t orchestrator.Task) (stepResult, error) {
	e.queuePush(&t)
	switch {
	case t.Ended() && t.Untold:
		return e.reportEnd(ctx, &t)
	case t.Ended():
		return stepResult{wait: forever}, nil
	}
	next, err := e.advance(ctx, t)
	if fault.KindOf(err) == fault.InvalidArgument { // the store will never accept it
		return e.endWithoutRoom(ctx, &t, fault.From(err))
	}
	return next, err
}

// advance is step for a task that has not ended.
func (e *Engine) advance(ctx context.Context, t orchestrator.Task) (stepResult, error) {
	switch {
	case t.CancelAsked: // whoever asked for it was told that it would be so
		return e.terminate(ctx, t, a2apb.TaskState_TASK_STATE_CANCELED, &orchestrator.Error{Reason: "CANCELED", Message: "the task was canceled on request"})
	case e.isOverdue(&t):
		return e.terminate(ctx, t, a2apb.TaskState_TASK_STATE_FAILED,
			&orchestrator.Error{Reason: "DEADLINE_EXCEEDED", Message: "the task had not ended by its deadline, " + t.Deadline.Format(time.RFC3339) + deadlineHint(&t)})
	}
	if needless, err := e.endWithParent(ctx, &t); needless || err != nil {
		return stepResult{again: true}, err
	}
	if t.Phase != orchestrator.PhaseExecution {
		return e.gate(ctx, t)
	}
	if t.Plan != nil {
		return e.advancePlan(ctx, t)
	}
	if left := e.pauseLeft(&t); left > 0 {
		return stepResult{wait: left}, nil
	}
	return e.execute(ctx, t)
}

func deadlineHint(t *orchestrator.Task) string {
	if t.Blocked() && t.Error != nil {
		return "; it was blocked: " + t.Error.Message
	}
	switch a := t.OpenAttempt(); {
	case a == nil:
		return ""
	case a.Error != nil:
		return "; it was to be tried again: " + a.Error.Message
	case a.RemoteTaskID != "":
		return "; " + a.Agent + " had taken it, and had not ended it"
	default:
		return ""
	}
}

// isOverdue reports whether the task's deadline has passed.
func (e *Engine) isOverdue(t *orchestrator.Task) bool { return !e.now().Before(t.Deadline) }

// pauseLeft returns for how long nothing is sent for a task yet; 0 or less for no time.
func (e *Engine) pauseLeft(t *orchestrator.Task) time.Duration {
	return pause.Left(t.NextDue, e.now(), max(maxRetryAfter, 2*e.BreakerDelay))
}
