package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// failedStep counts a step that failed for a reason of our own, and returns when the task is looked at again. What is not there now, a store or the evidence,
// may be back in a second. Anything else will most likely fail again: that is tried ever less often. The log has the first time in a row, the second, the
// fourth and so on: thousands of tasks may wait for the same store.
func (e *Engine) failedStep(ctx context.Context, k orchestrator.Key, err error) time.Duration {
	e.mu.Lock()
	before := e.troubled[k]
	e.troubled[k]++
	e.mu.Unlock()
	wait := storeRetry
	if fault.KindOf(err) == fault.Internal {
		wait = min(storeRetry<<min(before, 10), maxBackoff)
	}
	if times := before + 1; times&before == 0 {
		e.Logger.ErrorContext(ctx, "a task's step failed; trying again", slog.String("task", k.ID), slog.Int("times", times), slog.Duration("in", wait), errAttr(err))
	}
	return wait
}
