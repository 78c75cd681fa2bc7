package ddb

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

const (
	// MaxTries bounds how often a change is tried because other writers were faster.
	MaxTries = 200

	firstPause = 20 * time.Millisecond
	maxPause   = time.Second
)

// backoff returns how long to wait after an attempt, counted from 0: a random part of a time that doubles, so that writers that have
// collided do not collide again.
func backoff(attempt int) time.Duration {
	most := min(firstPause<<min(attempt, 16), maxPause)
	return time.Duration(rand.Int64N(int64(most))) + time.Millisecond //nolint:gosec // not a secret
}

// Contend calls try until it returns something else than ErrMoved, at most MaxTries times, and waits in between. The last error is then that of
// Contended.
func Contend(ctx context.Context, what string, try func() error) error {
	for n := range MaxTries {
		if err := try(); !errors.Is(err, ErrMoved) {
			return err
		}
		if err := WaitContended(ctx, n); err != nil {
			return err
		}
	}
	return Contended(what)
}

// Contended returns the Unavailable fault with the reason STORE_BUSY for a change of what, such as "agent a", for which others were always faster. It is one of
// ours: the store did not take the change.
func Contended(what string) error {
	f := fault.New(fault.Unavailable, "STORE_BUSY", "too many others write to %s at the same time", what)
	f.Ours = true
	return f
}

// WaitContended waits before a change is tried again because another writer was faster; try counts from 0. It waits at most 320 ms, by
// when the other writers are done. It returns the cause of ctx as soon as that ends.
func WaitContended(ctx context.Context, try int) error { return wait(ctx, min(try, 4)) }

// wait waits after an attempt, counted from 0. It returns the cause of ctx as soon as that ends.
func wait(ctx context.Context, attempt int) error { return pause.For(ctx, backoff(attempt)) }
