package extract

import (
	"context"
	"runtime"
	"time"
)

// budget is the CPU time for work on one goroutine. Time during which other goroutines or processes run does not count, so that the result for a
// document does not depend on how busy the machine is.
type budget struct {
	ctx  context.Context //nolint:containedctx // for readers, which get no context of their own; a budget lives within one call
	most time.Duration   // value of threadTime at which it is used up
}

// newBudget returns a budget and locks the goroutine to its thread until the caller calls done.
func newBudget(ctx context.Context, most time.Duration) (b budget, done func()) {
	runtime.LockOSThread()
	return budget{ctx: ctx, most: threadTime() + most}, runtime.UnlockOSThread
}

// spent returns an error when the time is used up or ctx has ended.
func (b budget) spent() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if threadTime() > b.most {
		return context.DeadlineExceeded
	}
	return nil
}
