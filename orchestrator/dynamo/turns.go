package dynamo

import (
	"context"
	"sync"

	"github.com/quorate/quorate/orchestrator"
)

// turns let one writer of a task at a time pass; the zero value lets anybody.
type turns struct {
	mu    sync.Mutex
	tasks map[orchestrator.Key]*turn // guarded by mu; only those that somebody writes to
}

// turn is a task's. Who has put a value into it may write.
type turn struct {
	busy    chan struct{}
	waiting int // guarded by turns.mu; with the one who writes
}

// take waits for its turn and returns what ends it.
func (t *turns) take(ctx context.Context, k orchestrator.Key) (done func(), err error) {
	t.mu.Lock()
	if t.tasks == nil {
		t.tasks = make(map[orchestrator.Key]*turn)
	}
	its := t.tasks[k]
	if its == nil {
		its = &turn{busy: make(chan struct{}, 1)}
		t.tasks[k] = its
	}
	its.waiting++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if its.waiting--; its.waiting == 0 {
			delete(t.tasks, k)
		}
	}
	select {
	case its.busy <- struct{}{}:
		return func() { <-its.busy; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}
