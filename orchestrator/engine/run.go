package engine

import (
	"context"
	"sync"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// Run takes leases and works on the tasks under them until ctx ends: first on unfinished ones, then on those that Wake names. It returns when every
// runner has stopped and the leases are free; whoever holds them next continues what is unfinished.
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
	running.Go(func() { e.outbox.Run(ctx) })
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

// runner is the goroutine that works on one task.
type runner struct {
	cancel  context.CancelCauseFunc
	done    chan struct{}
	group   int  // of the task, once it was read; -1 before
	failed  bool // its last step failed; used by the runner's goroutine until it ends
	found   bool // by a scan, and not known before; guarded by Engine.mu
	rerun   bool // something happened meanwhile: start anew when this one ends; guarded by Engine.mu
	recheck bool // a scan has found the task meanwhile, which is looked at again if it has changed; guarded by Engine.mu
	ending  bool // it ends the task, which nothing interrupts; guarded by Engine.mu

	version     uint64 // of the task as last read; used by the runner's goroutine until it ends
	earlyWakeUp wakeUp // the wake-up that was set for later; zero when something happened

	conversation *conversation // guarded by Engine.mu; the last exchange with the agent
}

// startRunners gives pending tasks runners, as many as may run.
func (e *Engine) startRunners(ctx context.Context, running *sync.WaitGroup) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.saturated = false
	exchanging, _ := e.exchanges.Counts()
	querying, _ := e.traceQueries.Counts()
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
		e.exchanges.Forfeit(k)
		e.traceQueries.Forfeit(k)
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
