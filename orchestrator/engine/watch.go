package engine

import (
	"context"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// How often a watched task is read, when this replica works on it and when another one does.
const (
	watchEvery = 5 * time.Second
	watchOther = 500 * time.Millisecond
)

// Watch calls emit with the task's events after a sequence number, in order and without gaps, and continues as they happen. It returns the task when
// it has ended or, if throughGates is false, when a gate blocks it or its agent waits for its caller. A slow emit delays only its own Watch.
func (e *Engine) Watch(ctx context.Context, k orchestrator.Key, after uint64, throughGates bool, emit func(orchestrator.Event) error) (orchestrator.Task, error) {
	changed, stop := e.subscribe(k)
	defer stop()
	const page = 200
	for {
		// The task is read before its events: whatever it says was written with or before the last of them.
		t, err := e.Store.Task(ctx, k)
		if err != nil {
			return t, err
		}
		for after < t.LastEvent {
			events, err := e.Store.Events(ctx, k, after, page)
			if err != nil {
				return t, err
			}
			for _, ev := range events {
				if err := emit(ev); err != nil {
					return t, err
				}
				after = ev.Sequence
			}
		}
		if t.Ended() || ((t.Blocked() || t.AwaitsCaller()) && !throughGates) {
			return t, nil
		}
		select {
		case <-ctx.Done():
			return t, ctx.Err()
		case <-changed:
		case <-time.After(e.watchInterval(t.Shard)):
		}
	}
}

// Await returns the task when it has ended, a gate blocks it or its agent waits for its caller.
func (e *Engine) Await(ctx context.Context, k orchestrator.Key) (orchestrator.Task, error) {
	changed, stop := e.subscribe(k)
	defer stop()
	for {
		t, err := e.Store.Task(ctx, k)
		if err != nil || t.Ended() || t.Blocked() || t.AwaitsCaller() {
			return t, err
		}
		select {
		case <-ctx.Done():
			return t, ctx.Err()
		case <-changed:
		case <-time.After(e.watchInterval(t.Shard)):
		}
	}
}

// watchInterval returns how soon a watched task is read again without a notification: sooner when another replica works on it.
func (e *Engine) watchInterval(shard int) time.Duration {
	if _, held := e.Leases.Epoch(shard); held {
		return watchEvery
	}
	return watchOther
}

// subscribe returns a channel that holds a token when the task may have changed since the last token was taken.
func (e *Engine) subscribe(k orchestrator.Key) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.watchers[k] == nil {
		e.watchers[k] = make(map[chan struct{}]struct{})
	}
	e.watchers[k][ch] = struct{}{}
	return ch, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.watchers[k], ch)
		if len(e.watchers[k]) == 0 {
			delete(e.watchers, k)
		}
	}
}

func (e *Engine) notify(k orchestrator.Key) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for ch := range e.watchers[k] {
		putToken(ch)
	}
}
