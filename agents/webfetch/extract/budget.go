package extract

import (
	"context"
	"runtime"
	"time"
)

// budget is the CPU time that work on one goroutine may take. It does not run on while others use the machine: a document is read
// as far on a busy machine as on an idle one.
type budget struct {
	ctx  context.Context //nolint:containedctx // for readers, which have no other way to see it; a budget lives within one call
	most time.Duration   // on the clock of threadTime
}

// newBudget binds the goroutine to its thread until the work is done, when the caller calls done.
func newBudget(ctx context.Context, most time.Duration) (b budget, done func()) {
	runtime.LockOSThread()
	return budget{ctx: ctx, most: threadTime() + most}, runtime.UnlockOSThread
}

// spent returns an error when the time is over, or ctx.
func (b budget) spent() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if threadTime() > b.most {
		return context.DeadlineExceeded
	}
	return nil
}
