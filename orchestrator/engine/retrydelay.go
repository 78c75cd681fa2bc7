package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// storeRetry is how long a task waits whose step failed because the store or the evidence was unavailable.
const storeRetry = time.Second

// retryDelay counts a step that failed because of an internal error, and returns when to look at the task again. An unavailable store or evidence
// source may be back in a second. Any other error is likely to recur and is retried at growing intervals. Only the first, second, fourth and so on
// failure in a row is logged, since thousands of tasks may wait for the same store.
func (e *Engine) retryDelay(ctx context.Context, k orchestrator.Key, err error) time.Duration {
	before := e.runners.countFailure(k)
	wait := storeRetry
	if orchestrator.Recurs(err) {
		wait = min(storeRetry<<min(before, 10), maxBackoff)
	}
	if times := before + 1; fault.Logged(times) {
		e.Logger.ErrorContext(ctx, "a task's step failed; trying again", taskIDAttr(k.ID), slog.Int("times", times), slog.Duration("in", wait), errAttr(err))
	}
	return wait
}

// isOurs reports whether a step failed because of this process or its store, which may be throttled for a while, and not because of the agent or the
// task. Such a step is repeated.
func isOurs(err error) bool {
	f := fault.From(err)
	switch f.Kind {
	case fault.Internal:
		return true
	case fault.DeadlineExceeded:
		return !agentclient.Retryable(err)
	default:
		return f.Ours && f.Kind != fault.FailedPrecondition
	}
}
