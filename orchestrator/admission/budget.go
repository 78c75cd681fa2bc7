package admission

import (
	"sync"
	"sync/atomic"
)

const (
	budgetShare = 5  // one in so many exchanges may be a retry
	budgetLeast = 32 // retries that are allowed in any case
)

// Budget keeps an outage from being followed by a storm of retries: it bounds their share of all current exchanges. It is kept per process and in
// memory. The zero value counts no exchanges.
type Budget struct{ all, retries atomic.Int64 }

// Begin counts an exchange and returns the function to call when the agent answers, which may be called more than once. ok is false for a retry that
// exceeds the budget.
func (b *Budget) Begin(retry bool) (end func(), ok bool) {
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
