package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// runners starts and ends the goroutines that work on tasks, one at a time for each task. A task to which something has happened is pending, until it has a
// runner; when that ends, nothing is kept of the task, or a timer that makes it pending again.
type runners struct {
	most      int                                                                           // at a time, without those that are elsewhere
	elsewhere func() int                                                                    // how many talk to agents or query for evidence
	drive     func(ctx context.Context, r *runner, k orchestrator.Key) (wait time.Duration) // works on a task; 0: until something happens
	onEnd     func(k orchestrator.Key)                                                      // called when a runner has ended and no other follows at once

	signal      chan struct{} // holds one token when pending may have work
	nextRun     chan func()   // passes a runner's work to an idle goroutine
	idleWorkers atomic.Int64  // number of idle goroutines

	mu        sync.Mutex
	pending   map[orchestrator.Key]bool    // guarded by mu; tasks that need a runner; true if something happened, false for a routine check
	present   map[orchestrator.Key]*runner // guarded by mu
	timers    map[orchestrator.Key]*wakeUp // guarded by mu; wake-ups of waiting tasks
	failures  map[orchestrator.Key]int     // guarded by mu; how many steps in a row failed, for tasks whose last step did
	stopped   bool                         // guarded by mu; no timers may be set any more
	saturated bool                         // guarded by mu; more tasks are pending than may run
}

// newRunners returns the runners of an engine.
func newRunners(e *Engine) *runners {
	return &runners{
		most: e.MaxRunning,
		elsewhere: func() int {
			exchanging, _ := e.exchanges.Counts()
			querying, _ := e.traceQueries.Counts()
			return exchanging + querying
		},
		drive: e.drive,
		onEnd: func(k orchestrator.Key) {
			e.exchanges.Forfeit(k)
			e.traceQueries.Forfeit(k)
		},
		signal:   make(chan struct{}, 1),
		nextRun:  make(chan func()),
		pending:  make(map[orchestrator.Key]bool),
		present:  make(map[orchestrator.Key]*runner),
		timers:   make(map[orchestrator.Key]*wakeUp),
		failures: make(map[orchestrator.Key]int),
	}
}

// run gives tasks runners until ctx ends, and then waits until these have ended.
func (rs *runners) run(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	defer rs.stopTimers()
	for {
		select {
		case <-ctx.Done():
			return
		case <-rs.signal:
			rs.start(ctx, &workers)
		}
	}
}

// start gives pending tasks runners, as many as may run.
func (rs *runners) start(ctx context.Context, workers *sync.WaitGroup) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.saturated = false
	elsewhere := rs.elsewhere()
	for k, happened := range rs.pending {
		if len(rs.present)-elsewhere >= rs.most {
			rs.saturated = true
			return // a runner signals when it ends, talks to its agent or queries for evidence
		}
		delete(rs.pending, k)
		rctx, cancel := context.WithCancelCause(ctx)
		r := &runner{cancel: cancel, done: make(chan struct{}), group: -1}
		if t, ok := rs.timers[k]; ok {
			if t.timer.Stop() && !happened {
				r.earlyWakeUp = *t
			}
			delete(rs.timers, k)
		} else {
			r.found = !happened
		}
		rs.present[k] = r
		run := func() {
			defer cancel(nil)
			rs.end(k, rs.drive(rctx, r, k))
		}
		select {
		case rs.nextRun <- run:
		default:
			workers.Go(func() { rs.work(ctx, run) })
		}
	}
}

// freeSlot notes that a runner talks to its agent or queries for evidence, which makes room for another one.
func (rs *runners) freeSlot() {
	rs.mu.Lock()
	crowded := rs.saturated
	rs.mu.Unlock()
	if crowded {
		rs.signalPending()
	}
}

// maxIdleWorkers is how many idle goroutines are kept for the next task at most; their stacks have grown already.
const maxIdleWorkers = 128

// work runs a runner, and then others.
func (rs *runners) work(ctx context.Context, run func()) {
	for run != nil {
		run()
		run = nil
		if rs.idleWorkers.Add(1) <= maxIdleWorkers {
			select {
			case <-ctx.Done():
			case run = <-rs.nextRun:
			}
		}
		rs.idleWorkers.Add(-1)
	}
}

// end removes a runner. The task is looked at again after wait, if that is positive, or at once when something happened meanwhile.
func (rs *runners) end(k orchestrator.Key, wait time.Duration) {
	rs.mu.Lock()
	r := rs.present[k]
	delete(rs.present, k)
	close(r.done)
	if !r.failed {
		delete(rs.failures, k)
	}
	if wait > 0 && !r.rerun && !rs.stopped {
		w := &wakeUp{group: r.group, version: r.version, due: time.Now().Add(wait)}
		w.timer = time.AfterFunc(wait, func() { rs.due(k, w) })
		rs.timers[k] = w
	}
	again := r.rerun || r.recheck
	if again {
		rs.pending[k] = r.rerun
	}
	rs.mu.Unlock()
	rs.signalPending()
	if !again {
		rs.onEnd(k)
	}
}

func (rs *runners) stopTimers() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.stopped = true
	for k, t := range rs.timers {
		t.timer.Stop()
		delete(rs.timers, k)
	}
}

// stopGroup removes a group's timers and stops its runners, which it returns: they are done a little later.
func (rs *runners) stopGroup(group int) (ending []*runner) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for k, a := range rs.timers {
		if a.group == group {
			a.timer.Stop()
			delete(rs.timers, k)
			delete(rs.failures, k)
		}
	}
	for _, r := range rs.present {
		if r.group == group {
			r.cancel(nil)
			ending = append(ending, r)
		}
	}
	return ending
}
