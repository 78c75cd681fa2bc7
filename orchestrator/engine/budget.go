package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// A retry budget keeps an outage from being followed by a storm: of all that is sent at a time, so much may be what could not be sent before. It is counted per process and
// in memory. What waits for it is neither failed nor written: the wait itself is durable already.
const (
	budgetShare = 5  // one of so many exchanges may be a retry
	budgetLeast = 32 // retries that are always allowed
	budgetWait  = time.Second
)

// budget counts the exchanges that are under way. The zero value has none.
type budget struct{ all, retries atomic.Int64 }

// begin counts an exchange until the agent answers, and returns what says that it did, once or more often; false when the exchange is a retry for which there is no room.
func (b *budget) begin(retry bool) (end func(), ok bool) {
	all := b.all.Add(1)
	if !retry {
		return sync.OnceFunc(func() { b.all.Add(-1) }), true
	}
	if n := b.retries.Add(1); n > max(budgetLeast, all/budgetShare) {
		b.retries.Add(-1)
		b.all.Add(-1)
		return nil, false
	}
	return sync.OnceFunc(func() {
		b.retries.Add(-1)
		b.all.Add(-1)
	}), true
}

// retried reports whether the task had to wait because its agent could not be reached. What is taken up after a takeover is no retry.
func retried(t *orchestrator.Task) bool {
	a := t.Open()
	return (a == nil || a.RemoteTaskID == "") && !t.NextDue.IsZero()
}
