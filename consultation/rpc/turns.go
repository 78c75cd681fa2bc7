package rpc

import (
	"context"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/share"
)

// maxLooks is how many calls may look for evidence in the trace backends at a time: half of what the backends answer at a time, so that gates are not
// held up by callers.
const maxLooks = 4

// turns lets each caller look for evidence once at a time, and only a few callers together. Others wait in line.
type turns struct {
	callers *share.Turns[caller]
	all     chan struct{} // has a token for each look
}

type caller struct{ tenant, name string }

func newTurns() *turns {
	return &turns{callers: share.NewTurns[caller](1), all: make(chan struct{}, maxLooks)}
}

// enter waits for the caller's turn and returns the function that ends it, or nil when ctx ends before.
func (t *turns) enter(ctx context.Context, p auth.Principal) (leave func()) {
	next, err := t.callers.Take(ctx, caller{p.Tenant, p.Name})
	if err != nil {
		return nil
	}
	select {
	case t.all <- struct{}{}:
		return func() { <-t.all; next() }
	case <-ctx.Done():
		next()
		return nil
	}
}
