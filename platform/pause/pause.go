// Package pause waits for a time or until a context ends, makes times random, says what is left of a wait, and reads Retry-After headers.
package pause

import (
	"context"
	"math/rand/v2"
	"time"
)

// For returns nil after d, or the cause of ctx if that ends first.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Jittered returns a random time from half of d to one and a half times d, so that what began together does not go on together.
func Jittered(d time.Duration) time.Duration {
	return d/2 + rand.N(max(d, 1)) //nolint:gosec // nothing is gained by guessing it
}

// Left returns how long it is until due, which was never set more than most ahead. If it is further away, the clock was set back since then, and nobody knows
// by how much: 0. It is 0 or less when the time has come.
func Left(due, now time.Time, most time.Duration) time.Duration {
	if left := due.Sub(now); left <= most {
		return left
	}
	return 0
}
