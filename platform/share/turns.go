package share

import (
	"context"
	"sync"
)

// Turns let each party have as many turns at a time as any other, however many parties there are. They are safe for concurrent use.
type Turns[K comparable] struct {
	each int

	mu sync.Mutex
	of map[K]*line // guarded by mu; only of parties that have turns or wait for one
}

// line is that of one party.
type line struct {
	users int           // those that have a turn or wait for one; guarded by mu of Turns
	taken chan struct{} // has a token for each turn
}

// NewTurns returns so many turns for each party.
func NewTurns[K comparable](each int) *Turns[K] { return &Turns[K]{each: each, of: make(map[K]*line)} }

// Take waits for a turn of who, and returns what ends it, which has to be called once. An error is the cause of the end of ctx.
func (t *Turns[K]) Take(ctx context.Context, who K) (end func(), err error) {
	l := t.join(who)
	select {
	case l.taken <- struct{}{}:
		return func() { <-l.taken; t.part(who, l) }, nil
	case <-ctx.Done():
		t.part(who, l)
		return nil, context.Cause(ctx)
	}
}

func (t *Turns[K]) join(who K) *line {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.of[who]
	if l == nil {
		l = &line{taken: make(chan struct{}, t.each)}
		t.of[who] = l
	}
	l.users++
	return l
}

func (t *Turns[K]) part(who K, l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(t.of, who)
	}
}
