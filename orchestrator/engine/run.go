package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// Run takes leases and works on the tasks under them until ctx ends: first on unfinished ones, then on those that Wake names. It returns when every
// runner has stopped and the leases are released; whoever holds them next continues what is unfinished.
func (e *Engine) Run(ctx context.Context) error {
	held, letGo := context.WithCancel(context.WithoutCancel(ctx))
	var keeping sync.WaitGroup
	keeping.Go(func() { e.Leases.Run(held, holder{e}) })
	defer keeping.Wait()
	defer letGo()
	var running sync.WaitGroup
	defer running.Wait()
	defer e.stopTimers()
	running.Go(func() { e.router.Run(ctx) })
	running.Go(func() { e.runOutbox(ctx) })
	ticker := time.NewTicker(scanTick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.signal:
			e.start(ctx, &running)
		case <-e.gained:
			e.scan(ctx)
		case <-ticker.C:
			e.scan(ctx)
		}
	}
}

// Wake has a runner look at a task, now or when the present runner is done.
func (e *Engine) Wake(k orchestrator.Key) {
	e.mu.Lock()
	e.wake(k)
	e.mu.Unlock()
	e.poke()
}

// wake marks a task as pending and returns its present runner, if there is one. The caller holds mu, and pokes afterwards.
func (e *Engine) wake(k orchestrator.Key) *runner {
	r, ok := e.runners[k]
	if ok {
		r.again = true
	} else {
		e.pending[k] = true
	}
	return r
}

// lookAnew has a task looked at although nothing is known to have happened: if it waits for its caller and has not changed, it goes on waiting.
func (e *Engine) lookAnew(k orchestrator.Key) {
	e.mu.Lock()
	if r, ok := e.runners[k]; ok {
		r.again = true
	} else if !e.pending[k] {
		e.pending[k] = false
	}
	e.mu.Unlock()
	e.poke()
}

// interrupt is Wake for what cannot wait until the present runner is done. Marking and interrupting are one step: a runner that began in between
// would be stopped, and no other would follow.
func (e *Engine) interrupt(k orchestrator.Key) {
	e.mu.Lock()
	if r := e.wake(k); r != nil {
		r.cancel()
	}
	e.mu.Unlock()
	e.poke()
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
	e.crowded = false
	with, _ := e.room.counts()
	look, _ := e.looks.counts()
	for k, happened := range e.pending {
		if len(e.runners)-with-look >= e.MaxRunning {
			e.crowded = true
			return // a runner pokes when it ends, talks to its agent or queries for evidence
		}
		delete(e.pending, k)
		rctx, cancel := context.WithCancel(ctx)
		r := &runner{cancel: cancel, done: make(chan struct{}), group: -1}
		if t, ok := e.timers[k]; ok {
			if t.timer.Stop() && !happened {
				r.early = t
			}
			delete(e.timers, k)
		}
		e.runners[k] = r
		run := func() {
			defer cancel()
			e.end(k, e.drive(rctx, r, k))
		}
		select {
		case e.next <- run:
		default:
			running.Go(func() { e.work(ctx, run) })
		}
	}
}

// makeWay notes that a runner talks to its agent or queries for evidence, which makes room for another one.
func (e *Engine) makeWay() {
	e.mu.Lock()
	crowded := e.crowded
	e.mu.Unlock()
	if crowded {
		e.poke()
	}
}

// resting is how many idle goroutines are kept for the next task at most; their stacks have grown already.
const resting = 128

// work runs a runner, and then others.
func (e *Engine) work(ctx context.Context, run func()) {
	for run != nil {
		run()
		run = nil
		if e.rest.Add(1) <= resting {
			select {
			case <-ctx.Done():
			case run = <-e.next:
			}
		}
		e.rest.Add(-1)
	}
}

// end removes a runner. The task is looked at again after wait, if that is positive, or at once when something happened meanwhile.
func (e *Engine) end(k orchestrator.Key, wait time.Duration) {
	e.mu.Lock()
	r := e.runners[k]
	delete(e.runners, k)
	close(r.done)
	if !r.failed {
		delete(e.troubled, k)
	}
	switch {
	case r.again:
		e.pending[k] = true
	case wait > 0 && !e.stopped:
		e.timers[k] = alarm{timer: time.AfterFunc(wait, func() { e.Wake(k) }), group: r.group, version: r.version, due: time.Now().Add(wait)}
	}
	again := r.again
	e.mu.Unlock()
	e.poke()
	if !again {
		e.room.pass(k)
		e.looks.pass(k)
	}
}

func (e *Engine) stopTimers() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	for k, t := range e.timers {
		t.timer.Stop()
		delete(e.timers, k)
	}
}

// drive runs the steps of a task until it has to wait, and returns for how long; 0 means until it is woken.
func (e *Engine) drive(ctx context.Context, r *runner, k orchestrator.Key) time.Duration {
	for {
		t, err := e.Store.Task(ctx, k)
		if err == nil {
			err = e.hold(r, &t)
		}
		if err == nil {
			if left := r.tooEarly(&t); left > 0 {
				return left
			}
			var next step
			if next, err = e.stepAndTell(ctx, t); err == nil && !next.again {
				return e.until(t, next.wait)
			}
		}
		switch {
		case ctx.Err() != nil:
			return 0
		case err == nil, errors.Is(err, errMoved):
			continue
		case errors.Is(err, errNotHeld):
			e.handOver(ctx, &t)
			return 0
		default:
			r.failed = true
			return e.failedStep(ctx, k, err)
		}
	}
}

// tooEarly returns how much longer a task should wait that was woken before its time, waits for its caller and has not changed since.
func (r *runner) tooEarly(t *orchestrator.Task) time.Duration {
	before := r.early
	r.version, r.early = t.Version, alarm{}
	if before.version != t.Version || !t.Waits() || t.Unsent() != nil {
		return 0
	}
	return time.Until(before.due)
}

// until limits a wait by the task's deadline. For a finished task it returns 0.
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
