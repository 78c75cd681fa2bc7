package engine_test

import (
	"context"
	"sync/atomic"

	"github.com/quorate/quorate/orchestrator"
)

// moment is when somebody does something: right after one of the calls to the store, before whoever made the call goes on.
type moment struct {
	at    int64 // which call
	act   func()
	calls atomic.Int64
}

func (m *moment) pass() {
	if m.calls.Add(1) == m.at {
		m.act()
	}
}

// met reports whether there was such a call.
func (m *moment) met() bool { return m.calls.Load() >= m.at }

// meddled is a store in whose calls somebody meddles.
type meddled struct {
	orchestrator.Store
	*moment
}

func (m meddled) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (orchestrator.Task, bool, error) {
	defer m.pass()
	return m.Store.Create(ctx, t, events...)
}

func (m meddled) Task(ctx context.Context, k orchestrator.Key) (orchestrator.Task, error) {
	defer m.pass()
	return m.Store.Task(ctx, k)
}

func (m meddled) TaskPart(ctx context.Context, k orchestrator.Key, want orchestrator.Part) (orchestrator.Task, error) {
	defer m.pass()
	return m.Store.TaskPart(ctx, k, want)
}

func (m meddled) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	defer m.pass()
	return m.Store.Update(ctx, k, change)
}

func (m meddled) Events(ctx context.Context, k orchestrator.Key, after uint64, limit int) ([]orchestrator.Event, error) {
	defer m.pass()
	return m.Store.Events(ctx, k, after, limit)
}
