package rpc

import (
	"context"
	"sync"

	"github.com/quorate/quorate/platform/auth"
)

// maxLooks is how many calls may look for evidence in the trace backends at a time: half of what the backends answer at a time, so that gates are not
// held up by callers.
const maxLooks = 4

// turns lets each caller look for evidence once at a time, and only a few callers together. Others wait in line.
type turns struct {
	all chan struct{} // has a token for each look

	mu      sync.Mutex
	callers map[caller]*line // guarded by mu; only callers that look or wait
}

type caller struct{ tenant, name string }

// line is the calls of one caller that look or wait.
type line struct {
	turn  chan struct{} // has a token while one looks, or is next
	calls int           // guarded by turns.mu
}

func newTurns() *turns {
	return &turns{all: make(chan struct{}, maxLooks), callers: make(map[caller]*line)}
}

// enter waits for the caller's turn and returns the function that ends it, or nil when ctx ends before.
func (t *turns) enter(ctx context.Context, p auth.Principal) (leave func()) {
	k := caller{p.Tenant, p.Name}
	l := t.join(k)
	if !put(ctx, l.turn) {
		t.part(k, l)
		return nil
	}
	next := func() { <-l.turn; t.part(k, l) }
	if !put(ctx, t.all) {
		next()
		return nil
	}
	return func() { <-t.all; next() }
}

// put waits until there is room for a token. It returns false when ctx ends before.
func put(ctx context.Context, room chan struct{}) bool {
	select {
	case room <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t *turns) join(k caller) *line {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.callers[k] == nil {
		t.callers[k] = &line{turn: make(chan struct{}, 1)}
	}
	t.callers[k].calls++
	return t.callers[k]
}

func (t *turns) part(k caller, l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.calls--; l.calls == 0 {
		delete(t.callers, k)
	}
}
