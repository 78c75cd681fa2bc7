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

// backoff returns how long to wait after an attempt, counted from 0: a random part of a time that doubles, so that writers that have
// collided do not collide again.
func backoff(attempt int) time.Duration {
	most := min(firstPause<<min(attempt, 16), maxPause)
	return time.Duration(rand.Int64N(int64(most))) + time.Millisecond //nolint:gosec // not a secret
}

// WaitContended waits before a change is tried again because another writer was faster; try counts from 0. It waits at most 320 ms, by
// when the other writers are done. It returns the cause of ctx as soon as that ends.
func WaitContended(ctx context.Context, try int) error { return wait(ctx, min(try, 4)) }

// wait waits after an attempt, counted from 0. It returns the cause of ctx as soon as that ends.
func wait(ctx context.Context, attempt int) error { return pause.For(ctx, backoff(attempt)) }
