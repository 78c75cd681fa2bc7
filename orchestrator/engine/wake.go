package engine

import (
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// Wake has a runner look at a task, now or when the present runner is done.
func (e *Engine) Wake(k orchestrator.Key) { e.runners.wake(k) }

// wake marks a task as pending.
func (rs *runners) wake(k orchestrator.Key) {
	rs.mu.Lock()
	rs.mark(k)
	rs.mu.Unlock()
	rs.signalPending()
}

// mark marks a task as pending and returns its present runner, if there is one. The caller holds mu, and calls signalPending afterwards.
func (rs *runners) mark(k orchestrator.Key) *runner {
	r, ok := rs.present[k]
	if ok {
		r.rerun = true
	} else {
		rs.pending[k] = true
	}
	return r
}

// recheck has a task looked at although nothing is known to have happened: if it waits for its caller and has not changed, it goes on waiting.
func (rs *runners) recheck(k orchestrator.Key) {
	rs.mu.Lock()
	if r, ok := rs.present[k]; ok {
		r.recheck = true
	} else if !rs.pending[k] {
		rs.pending[k] = false
	}
	rs.mu.Unlock()
	rs.signalPending()
}

// wakeUp is a wake-up of a task.
type wakeUp struct {
	timer   *time.Timer
	group   int
	version uint64    // of the task when it was set
	due     time.Time // by a clock that nobody sets
}

// due wakes a task whose wake-up is due. If a runner was started meanwhile, which took the wake-up, that is enough.
func (rs *runners) due(k orchestrator.Key, w *wakeUp) {
	rs.mu.Lock()
	if rs.timers[k] == w {
		rs.mark(k)
	}
	rs.mu.Unlock()
	rs.signalPending()
}

// interrupt is wake for what cannot wait until the present runner is done. Marking and interrupting are one step: a runner that began in between
// would be stopped, and no other would follow.
func (rs *runners) interrupt(k orchestrator.Key) {
	rs.mu.Lock()
	if r := rs.mark(k); r != nil && !r.ending {
		r.cancel(errMoved)
	}
	rs.mu.Unlock()
	rs.signalPending()
}

func (rs *runners) signalPending() { putToken(rs.signal) }

// putToken puts a token into a channel that holds at most one, unless it holds one.
func putToken(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// mustInterrupt reports whether somebody has written something to a task that must interrupt its exchange: a request to cancel, or a reply.
func mustInterrupt(t *orchestrator.Task) bool {
	return t.CancelAsked || t.PendingReply() != nil && t.PendingReply().Sends == 0
}
