package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// failedStep counts and logs a step that failed for a reason of our own, and returns when the task is looked at again. What is not there now, a store or the
// evidence, may be back in a second. Anything else will most likely fail again: that is tried ever less often.
func (e *Engine) failedStep(ctx context.Context, k orchestrator.Key, err error) time.Duration {
	e.mu.Lock()
	before := e.troubled[k]
	e.troubled[k]++
	e.mu.Unlock()
	wait := storeRetry
	if fault.KindOf(err) == fault.Internal {
		wait = min(storeRetry<<min(before, 10), maxBackoff)
	}
	e.Logger.ErrorContext(ctx, "a task's step failed; trying again", slog.String("task", k.ID), slog.Int("times", before+1), slog.Duration("in", wait), slog.Any("error", err))
	return wait
}
