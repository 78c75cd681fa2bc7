package dynamo

import (
	"context"
	"sync"

	"github.com/quorate/quorate/orchestrator"
)

// turns lets one writer of a task pass at a time. The zero value is ready to use.
type turns struct {
	mu    sync.Mutex
	tasks map[orchestrator.Key]*turn // guarded by mu; only tasks with writers
}

// turn is the semaphore of a task.
type turn struct {
	busy    chan struct{}
	waiting int // guarded by turns.mu; includes the one that writes
}

// take waits for its turn and returns the function that ends it.
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
