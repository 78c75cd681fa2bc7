package engine

import (
	"context"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

// concludeInterrupted does what follows an exchange that was ended from outside, because of cause. If the agent has delivered all the same, that is
// stored: whoever takes over the task would not know that the work is done.
func (e *Engine) concludeInterrupted(ctx context.Context, c *conversation, cause, err error) (stepResult, error) {
	refused := fault.KindOf(cause) == fault.InvalidArgument // the store will never accept what the agent has said so far
	if !refused && (err != nil || !c.hasResult()) {
		return stepResult{}, cause
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if refused {
		return e.refuse(ctx, c, cause)
	}
	return e.conclude(ctx, c, nil)
}

// maxResultPause bounds how long the store may be away before a result in memory is given up: half a minute in all.
const maxResultPause = 16 * time.Second

// concludePatiently is conclude, again and again while the store is away and the agent has delivered: the result is in memory only. Without it the work
// would be done again or, where it must not be, count as lost.
func (e *Engine) concludePatiently(ctx context.Context, c *conversation, err error) (stepResult, error) {
	for wait := storeRetry; ; wait *= 2 {
		next, failed := e.conclude(ctx, c, err)
		if failed == nil || err != nil || !c.hasResult() || !isOurs(failed) || orchestrator.Recurs(failed) || wait > maxResultPause {
			return next, failed
		}
		if pause.For(ctx, wait) != nil {
			return e.concludeInterrupted(ctx, c, context.Cause(ctx), nil)
		}
	}
}

// conclude stores what came of an exchange, whose error is err.
func (e *Engine) conclude(ctx context.Context, c *conversation, err error) (stepResult, error) {
	switch {
	case c.refused && err != nil:
		return e.refuse(ctx, c, err)
	case err != nil:
		c.remote.RecordIDs(&c.task)
		c.task.EditOpenAttempt().NotTaken = c.notTaken
		next, final, err := e.tryAgain(ctx, c.task, err)
		if final == nil {
			return next, err
		}
		return e.storeFailure(ctx, c, final)
	}
	if err := e.storeContext(ctx, c); err != nil {
		return stepResult{}, err
	}
	if !c.remote.Ended() { // it waits for its caller, which is stored already
		return stepResult{wait: e.waitingPollDelay(&c.task)}, nil
	}
	next, err := e.storeResult(ctx, c)
	if fault.KindOf(err) == fault.InvalidArgument { // the store will never accept it
		return e.handleFailure(ctx, c.task, err)
	}
	return next, err
}
