// Package cputime bounds work by the CPU time of its thread. Time during which other goroutines or processes run does not count, so that a result does not
// depend on how busy the machine is. Only Linux tells that time; elsewhere it is the clock's.
package cputime

import (
	"context"
	"runtime"
	"time"
)

// Budget is the CPU time for work on one goroutine.
type Budget struct {
	ctx context.Context //nolint:containedctx // for readers, which get no context of their own; a budget lives within one call
	end time.Duration   // value of threadTime at which it is used up
}

// NewBudget returns a budget that begins now, and locks the goroutine to its thread until the caller calls done.
func NewBudget(ctx context.Context, most time.Duration) (b Budget, done func()) {
	runtime.LockOSThread()
	return Budget{ctx: ctx, end: threadTime() + most}, runtime.UnlockOSThread
}

// Spent returns the error of the context when that has ended, context.DeadlineExceeded when the time is used up, and otherwise nil.
func (b Budget) Spent() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if threadTime() > b.end {
		return context.DeadlineExceeded
	}
	return nil
}
