package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// A retry budget keeps an outage from being followed by a storm of retries: it bounds their share of all current exchanges. It is kept per process
// and in memory. A task that waits for the budget is neither failed nor written: its wait is durable already.
const (
	budgetShare = 5  // one in so many exchanges may be a retry
	budgetLeast = 32 // retries that are allowed in any case
	budgetWait  = time.Second
)

// budget counts the exchanges in progress. The zero value has none.
type budget struct{ all, retries atomic.Int64 }

// begin counts an exchange and returns the function to call when the agent answers, which may be called more than once. ok is false for a retry that
// exceeds the budget.
func (b *budget) begin(retry bool) (end func(), ok bool) {
	var again int64
	if retry {
		again = 1
	}
	all, retries := b.all.Add(1), b.retries.Add(again)
	end = sync.OnceFunc(func() {
		b.all.Add(-1)
		b.retries.Add(-again)
	})
	if retry && retries > max(budgetLeast, all/budgetShare) {
		end()
		return nil, false
	}
	return end, true
}

// isRetry reports whether the task had to wait because its agent could not be reached. Work that was taken over from another replica is no retry.
func isRetry(t *orchestrator.Task) bool {
	a := t.OpenAttempt()
	return (a == nil || a.RemoteTaskID == "") && !t.NextDue.IsZero()
}
