package ddb

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/quorate/quorate/platform/pause"
)

const (
	firstPause = 20 * time.Millisecond
	maxPause   = time.Second
)

// backoff returns how long to wait after an attempt, from 0: a random part of a time that doubles, so that those who collided do not
// collide again.
func backoff(attempt int) time.Duration {
	most := min(firstPause<<min(attempt, 16), maxPause)
	return time.Duration(rand.Int64N(int64(most))) + time.Millisecond //nolint:gosec // not a secret
}

// WaitContended pauses before a change is made anew because another writer was quicker; try counts from 0. A pause is at most 320 ms:
// those writers are done by then. It returns the cause of ctx as soon as that ends.
func WaitContended(ctx context.Context, try int) error { return wait(ctx, min(try, 4)) }

// wait pauses after an attempt, counted from 0, or returns the cause of ctx as soon as that ends.
func wait(ctx context.Context, attempt int) error { return pause.For(ctx, backoff(attempt)) }
