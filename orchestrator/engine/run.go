package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// Run takes leases and works on the tasks under them until ctx ends: first on unfinished ones, then on those that Wake names. It returns when every
// runner has stopped and the leases are released; whoever holds them next continues what is unfinished.
func (e *Engine) Run(ctx context.Context) error {
	held, letGo := context.WithCancel(context.WithoutCancel(ctx))
	var keeping sync.WaitGroup
	keeping.Go(func() { e.Leases.Run(held, leaseWorker{e}) })
	defer keeping.Wait()
	defer letGo()
	var running sync.WaitGroup
	defer running.Wait()
	defer e.stopTimers()
	running.Go(func() { e.router.Run(ctx) })
	running.Go(func() { e.runOutbox(ctx) })
	running.Go(func() { e.runScans(ctx) })
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.signal:
			e.startRunners(ctx, &running)
		}
	}
}

// Wake has a runner look at a task, now or when the present runner is done.
func (e *Engine) Wake(k orchestrator.Key) {
	e.mu.Lock()
	e.wake(k)
	e.mu.Unlock()
	e.signalPending()
}

// wake marks a task as pending and returns its present runner, if there is one. The caller holds mu, and calls signalPending afterwards.
func (e *Engine) wake(k orchestrator.Key) *runner {
	r, ok := e.runners[k]
	if ok {
		r.rerun = true
	} else {
		e.pending[k] = true
	}
	return r
}

// recheck has a task looked at although nothing is known to have happened: if it waits for its caller and has not changed, it goes on waiting.
func (e *Engine) recheck(k orchestrator.Key) {
	e.mu.Lock()
	if r, ok := e.runners[k]; ok {
		r.recheck = true
	} else if !e.pending[k] {
		e.pending[k] = false
	}
	e.mu.Unlock()
	e.signalPending()
}

// due wakes a task whose wake-up is due. If a runner was started meanwhile, which took the wake-up, that is enough.
func (e *Engine) due(k orchestrator.Key, w *wakeUp) {
	e.mu.Lock()
	if e.timers[k] == w {
		e.wake(k)
	}
	e.mu.Unlock()
	e.signalPending()
}

// interrupt is Wake for what cannot wait until the present runner is done. Marking and interrupting are one step: a runner that began in between
// would be stopped, and no other would follow.
func (e *Engine) interrupt(k orchestrator.Key) {
	e.mu.Lock()
	if r := e.wake(k); r != nil {
		r.cancel(errMoved)
	}
	e.mu.Unlock()
	e.signalPending()
}

func (e *Engine) signalPending() { putToken(e.signal) }

// putToken puts a token into a channel that holds at most one, unless it holds one.
func putToken(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// startRunners gives pending tasks runners, as many as may run.
func (e *Engine) startRunners(ctx context.Context, running *sync.WaitGroup) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.saturated = false
	exchanging, _ := e.exchanges.counts()
	querying, _ := e.traceQueries.counts()
	for k, happened := range e.pending {
		if len(e.runners)-exchanging-querying >= e.MaxRunning {
			e.saturated = true
			return // a runner signals when it ends, talks to its agent or queries for evidence
		}
		delete(e.pending, k)
		rctx, cancel := context.WithCancelCause(ctx)
		r := &runner{cancel: cancel, done: make(chan struct{}), group: -1}
		if t, ok := e.timers[k]; ok {
			if t.timer.Stop() && !happened {
				r.earlyWakeUp = *t
			}
			delete(e.timers, k)
		} else {
			r.found = !happened
		}
		e.runners[k] = r
		run := func() {
			defer cancel(nil)
			e.endRunner(k, e.drive(rctx, r, k))
		}
		select {
		case e.nextRun <- run:
		default:
			running.Go(func() { e.runWorker(ctx, run) })
		}
	}
}

// freeRunnerSlot notes that a runner talks to its agent or queries for evidence, which makes room for another one.
func (e *Engine) freeRunnerSlot() {
	e.mu.Lock()
	crowded := e.saturated
	e.mu.Unlock()
	if crowded {
		e.signalPending()
	}
}

// maxIdleWorkers is how many idle goroutines are kept for the next task at most; their stacks have grown already.
const maxIdleWorkers = 128

// runWorker runs a runner, and then others.
func (e *Engine) runWorker(ctx context.Context, run func()) {
	for run != nil {
		run()
		run = nil
		if e.idleWorkers.Add(1) <= maxIdleWorkers {
			select {
			case <-ctx.Done():
			case run = <-e.nextRun:
			}
		}
		e.idleWorkers.Add(-1)
	}
}

// endRunner removes a runner. The task is looked at again after wait, if that is positive, or at once when something happened meanwhile.
func (e *Engine) endRunner(k orchestrator.Key, wait time.Duration) {
	e.mu.Lock()
	r := e.runners[k]
	delete(e.runners, k)
	close(r.done)
	if !r.failed {
		delete(e.failures, k)
	}
	if wait > 0 && !r.rerun && !e.stopped {
		w := &wakeUp{group: r.group, version: r.version, due: time.Now().Add(wait)}
		w.timer = time.AfterFunc(wait, func() { e.due(k, w) })
		e.timers[k] = w
	}
	again := r.rerun || r.recheck
	if again {
		e.pending[k] = r.rerun
	}
	e.mu.Unlock()
	e.signalPending()
	if !again {
		e.exchanges.forfeit(k)
		e.traceQueries.forfeit(k)
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
	if left := e.remainingWait(ctx, r, k); left > 0 {
		return left
	}
	for {
		t, err := e.Store.Task(ctx, k)
		if fault.KindOf(err) == fault.NotFound { // an outcome, say, came after the task's retention
			return 0
		}
		if err == nil {
			err = e.assumeOwnership(r, &t)
		}
		if err == nil {
			r.version = t.Version
			var next stepResult
			if next, err = e.stepAndReport(ctx, t); err == nil && !next.again {
				return e.capWait(t, next.wait)
			}
		}
		if errors.Is(err, errNotHeld) {
			if err = e.handOver(ctx, &t); err == nil {
				return 0
			}
		}
		switch {
		case ctx.Err() != nil:
			return 0
		case err == nil, errors.Is(err, errMoved):
			continue
		default:
			r.failed = true
			return e.retryDelay(ctx, k, err)
		}
	}
}

// remainingWait returns how much longer a task should wait that was woken before its time, waits for its caller and has not changed since. Thousands of
// such tasks are looked at with each rescan, so it does not read their content.
func (e *Engine) remainingWait(ctx context.Context, r *runner, k orchestrator.Key) time.Duration {
	before := r.earlyWakeUp
	if before.timer == nil {
		return 0
	}
	r.earlyWakeUp = wakeUp{}
	t, err := e.Store.TaskPart(ctx, k, orchestrator.Part{})
	if err == nil {
		err = e.assumeOwnership(r, &t)
	}
	if err != nil || before.version != t.Version || !t.AwaitsCaller() || t.PendingReply() != nil {
		return 0
	}
	r.version = t.Version
	return time.Until(before.due)
}

// capWait limits a wait by the task's deadline. For a finished task it returns 0.
func (e *Engine) capWait(t orchestrator.Task, wait time.Duration) time.Duration {
	if wait < 0 {
		return 0
	}
	left := max(t.Deadline.Sub(e.now()), time.Millisecond)
	if wait == 0 || left < wait {
		return left
	}
	return wait
}
