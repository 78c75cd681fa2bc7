package engine

import (
	"context"

	"github.com/quorate/quorate/orchestrator"
)

// runner is the goroutine that works on one task.
type runner struct {
	cancel  context.CancelCauseFunc
	done    chan struct{}
	group   int  // of the task, once it was read; -1 before
	failed  bool // its last step failed; used by the runner's goroutine until it ends
	found   bool // by a scan, and not known before; guarded by runners.mu
	rerun   bool // something happened meanwhile: start anew when this one ends; guarded by runners.mu
	recheck bool // a scan has found the task meanwhile, which is looked at again if it has changed; guarded by runners.mu
	ending  bool // it ends the task, which nothing interrupts; guarded by runners.mu

	version     uint64 // of the task as last read; used by the runner's goroutine until it ends
	earlyWakeUp wakeUp // the wake-up that was set for later; zero when something happened

	conversation *conversation // guarded by runners.mu; the last exchange with the agent
}

// setGroup notes the group of a runner's task.
func (rs *runners) setGroup(r *runner, group int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r.group = group
}

// noteEnding notes that the present runner ends the task. A caller that cancels a task again and again would otherwise keep it from its end, as long as its
// agent does not answer the request to stop.
func (rs *runners) noteEnding(k orchestrator.Key) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r := rs.present[k]; r != nil {
		r.ending = true
	}
}

// setConversation notes the exchange from which those who watch a task are shown what the agent makes, and that the task does not end yet.
func (rs *runners) setConversation(k orchestrator.Key, c *conversation) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r := rs.present[k]; r != nil {
		r.conversation, r.ending = c, false
	}
}

// conversation returns the present runner's last exchange with the agent, or nil.
func (rs *runners) conversation(k orchestrator.Key) *conversation {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r := rs.present[k]; r != nil {
		return r.conversation
	}
	return nil
}

// claimFound reports, once, whether a task has its runner because a scan has found it.
func (rs *runners) claimFound(k orchestrator.Key) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.present[k]
	if r == nil || !r.found {
		return false
	}
	r.found = false
	return true
}

// countFailure counts a step that failed, and returns how many did so in a row before.
func (rs *runners) countFailure(k orchestrator.Key) (before int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	before = rs.failures[k]
	rs.failures[k]++
	return before
}
