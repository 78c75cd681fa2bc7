package engine

import (
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// firstPollPause is the time between the first polls of an agent about two tasks that wait for their caller. A replica that starts, or takes over the
// work of another, may find many thousands of them.
const firstPollPause = 10 * time.Millisecond

// firstPollDelay returns how long to wait before an agent is asked about a task that waits for its caller and that a scan has just found; 0 for any
// other one. The first few are asked about almost at once.
func (e *Engine) firstPollDelay(t *orchestrator.Task) time.Duration {
	if !t.AwaitsCaller() || t.PendingReply() != nil {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.runners[t.Key()]
	if r == nil || !r.found {
		return 0
	}
	r.found = false
	now := time.Now()
	at := e.polls[agentKey(t)]
	if at.Before(now) {
		at = now
	}
	e.polls[agentKey(t)] = at.Add(firstPollPause)
	return at.Sub(now)
}
