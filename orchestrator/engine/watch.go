package engine

import (
	"context"
	"math"
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
	changed, stop := e.watchers.subscribe(k)
	defer stop()
	return e.watch(ctx, k, after, throughGates, emit, func(ctx context.Context, shard int) error {
		return e.awaitChange(ctx, changed, shard)
	})
}

// watch emits events as Watch does. wait returns when the task, which is in a shard, may have changed.
func (e *Engine) watch(ctx context.Context, k orchestrator.Key, after uint64, throughGates bool, emit func(orchestrator.Event) error, wait func(ctx context.Context, shard int) error) (orchestrator.Task, error) {
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
			if len(events) == 0 { // a new task has the id by now, since this one was no longer kept
				break
			}
			for _, ev := range events {
				if err := emit(ev); err != nil {
					return t, err
				}
				after = ev.Sequence
			}
		}
		if t.Ended() || t.Waits() && !throughGates {
			return t, nil
		}
		if err := wait(ctx, t.Shard); err != nil {
			return t, err
		}
	}
}

// Await returns the task when it has ended, a gate blocks it or its agent waits for its caller.
func (e *Engine) Await(ctx context.Context, k orchestrator.Key) (orchestrator.Task, error) {
	return e.Watch(ctx, k, math.MaxUint64, false, nil) // no event comes after that number
}

// awaitChange returns when a watched task, which is in a shard, may have changed.
func (e *Engine) awaitChange(ctx context.Context, changed <-chan struct{}, shard int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-time.After(e.watchInterval(shard)):
	}
	return nil
}

// watchInterval returns how soon a watched task is read again without a notification: sooner when another replica works on it.
func (e *Engine) watchInterval(shard int) time.Duration {
	if _, held := e.Leases.Epoch(shard); held {
		return watchEvery
	}
	return watchOther
}
