package engine

import (
	"time"

	"github.com/quorate/quorate/orchestrator"
)

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

// wakeUp is a wake-up of a task.
type wakeUp struct {
	timer   *time.Timer
	group   int
	version uint64    // of the task when it was set
	due     time.Time // by a clock that nobody sets
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
	if r := e.wake(k); r != nil && !r.ending {
		r.cancel(errMoved)
	}
	e.mu.Unlock()
	e.signalPending()
}

// noteEnding notes that the present runner ends the task. A caller that cancels a task again and again would otherwise keep it from its end, as long as its
// agent does not answer the request to stop.
func (e *Engine) noteEnding(k orchestrator.Key) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.runners[k]; r != nil {
		r.ending = true
	}
}

func (e *Engine) signalPending() { putToken(e.signal) }

// putToken puts a token into a channel that holds at most one, unless it holds one.
func putToken(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
