package engine

import (
	"context"
	"errors"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// drive runs the steps of a task until it has to wait, and returns for how long; 0 means until it is woken.
func (e *Engine) drive(ctx context.Context, r *runner, k orchestrator.Key) time.Duration {
	if left := e.remainingWait(ctx, r, k); left > 0 {
		return left
	}
	for {
		t, err := e.Store.Task(ctx, k)
		if fault.KindOf(err) == fault.NotFound { // an outcome, say, came after the task's retention
			return 0
		}
		if err == nil {
			err = e.assumeOwnership(r, &t)
		}
		if err == nil {
			r.version = t.Version
			var next stepResult
			if next, err = e.stepAndReport(ctx, t); err == nil && !next.again {
				return e.capWait(t, next.wait)
			}
		}
		if errors.Is(err, errNotHeld) {
			if err = e.handOver(ctx, &t); err == nil {
				return 0
			}
		}
		switch {
		case ctx.Err() != nil:
			return 0
		case err == nil, errors.Is(err, errMoved):
			continue
		default:
			r.failed = true
			return e.retryDelay(ctx, k, err)
		}
	}
}

// remainingWait returns how much longer a task should wait that was woken before its time, waits for its caller and has not changed since. Thousands of
// such tasks are looked at with each rescan, so it does not read their content.
func (e *Engine) remainingWait(ctx context.Context, r *runner, k orchestrator.Key) time.Duration {
	before := r.earlyWakeUp
	if before.timer == nil {
		return 0
	}
	r.earlyWakeUp = wakeUp{}
	t, err := e.Store.TaskPart(ctx, k, orchestrator.Part{})
	if err == nil {
		err = e.assumeOwnership(r, &t)
	}
	if err != nil || before.version != t.Version || !isUnanswered(&t) {
		return 0
	}
	r.version = t.Version
	return min(time.Until(before.due), t.Deadline.Sub(e.now())) // the clock may have been set forward since then
}

// capWait limits a wait by the task's deadline. For a finished task it returns 0.
func (e *Engine) capWait(t orchestrator.Task, wait time.Duration) time.Duration {
	if wait < 0 {
		return 0
	}
	left := max(t.Deadline.Sub(e.now()), time.Millisecond)
	if wait == 0 || left < wait {
		return left
	}
	return wait
}
