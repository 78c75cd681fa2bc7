package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// Run works on tasks until ctx ends: first on those that an earlier process left unfinished, then on whatever Wake names. It returns when every
// runner has stopped; what they did not finish is taken up by the next Run on the same store.
func (e *Engine) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	defer e.stopTimers()
	if err := e.rescan(ctx); err != nil {
		return fmt.Errorf("find unfinished tasks: %w", err)
	}
	running.Go(func() { e.router.Run(ctx) })
	ticker := time.NewTicker(e.Rescan)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.signal:
			e.start(ctx, &running)
		case <-ticker.C:
			if err := e.rescan(ctx); err != nil {
				e.Logger.ErrorContext(ctx, "unfinished tasks could not be listed; trying again later", slog.Any("error", err))
			}
		}
	}
}

// rescan wakes every task that has not ended. A task that waits looks at its situation and goes on waiting.
func (e *Engine) rescan(ctx context.Context) error {
	for shard := range orchestrator.Shards {
		if err := e.rescanShard(ctx, shard); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) rescanShard(ctx context.Context, shard int) error {
	const page = 500
	var after orchestrator.Key
	for {
		keys, err := e.Store.Unfinished(ctx, shard, after, page)
		if err != nil {
			return err
		}
		for _, k := range keys {
			e.Wake(k)
		}
		if len(keys) < page {
			return nil
		}
		after = keys[len(keys)-1]
	}
}

// Wake has a task looked at: now, or as soon as its present runner is done.
func (e *Engine) Wake(k orchestrator.Key) {
	e.mu.Lock()
	if r, ok := e.runners[k]; ok {
		r.again = true
	} else {
		e.pending[k] = struct{}{}
	}
	e.mu.Unlock()
	e.poke()
}

// interrupt is Wake for what cannot wait for the runner to be done.
func (e *Engine) interrupt(k orchestrator.Key) {
	e.Wake(k)
	e.mu.Lock()
	defer e.mu.Unlock()
	if r, ok := e.runners[k]; ok {
		r.cancel()
	}
}

func (e *Engine) poke() {
	select {
	case e.signal <- struct{}{}:
	default:
	}
}

// start gives pending tasks runners, as many as may run.
func (e *Engine) start(ctx context.Context, running *sync.WaitGroup) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for k := range e.pending {
		if len(e.runners) >= e.MaxRunning {
			return // a runner that ends pokes
		}
		delete(e.pending, k)
		if t, ok := e.timers[k]; ok {
			t.Stop()
			delete(e.timers, k)
		}
		rctx, cancel := context.WithCancel(ctx)
		e.runners[k] = &runner{cancel: cancel}
		running.Go(func() {
			defer cancel()
			wait := e.drive(rctx, k)
			e.end(k, wait)
		})
	}
}

// end takes the runner off; the task is looked at again after wait, if that is positive, or at once when something happened meanwhile.
func (e *Engine) end(k orchestrator.Key, wait time.Duration) {
	e.mu.Lock()
	again := e.runners[k].again
	delete(e.runners, k)
	switch {
	case again:
		e.pending[k] = struct{}{}
	case wait > 0 && !e.stopped:
		e.timers[k] = time.AfterFunc(wait, func() { e.Wake(k) })
	}
	e.mu.Unlock()
	e.poke()
}

func (e *Engine) stopTimers() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	for k, t := range e.timers {
		t.Stop()
		delete(e.timers, k)
	}
}

// drive does a task's steps until it has to wait, and returns for how long: 0 means until it is woken.
func (e *Engine) drive(ctx context.Context, k orchestrator.Key) time.Duration {
	for {
		t, err := e.Store.Task(ctx, k)
		if err == nil {
			var next step
			if next, err = e.step(ctx, t); err == nil && !next.again {
				return e.until(t, next.wait)
			}
		}
		switch {
		case ctx.Err() != nil:
			return 0
		case err == nil, errors.Is(err, errMoved):
			continue
		default:
			e.Logger.ErrorContext(ctx, "a task's step failed; trying again", slog.String("task", k.ID), slog.Any("error", err))
			return storeRetry
		}
	}
}

// until bounds a wait by the task's deadline. A finished task waits for nothing.
func (e *Engine) until(t orchestrator.Task, wait time.Duration) time.Duration {
	if wait < 0 {
		return 0
	}
	left := max(t.Deadline.Sub(e.now()), time.Millisecond)
	if wait == 0 || left < wait {
		return left
	}
	return wait
}
