package engine

import (
	"strconv"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// BreakersKept returns how many breakers there are after many agents were sent to in vain, and many more with success.
func BreakersKept(failed, reached int) int {
	b := breakers{delay: time.Hour}
	for i := range failed {
		b.get("t", "failed"+strconv.Itoa(i)).RecordFailure()
	}
	for i := range reached {
		b.get("t", "reached"+strconv.Itoa(i)).RecordSuccess()
	}
	return len(b.list)
}

// SharedAddress is sharedAddress.
var SharedAddress = sharedAddress

// PollsKept returns for how many agents it is kept when they are asked next about a task that a scan has found.
func PollsKept(e *Engine) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.polls)
}

// FreshKept returns of how many tasks it is kept that they were accepted together with the intent to send, and not sent yet.
func FreshKept(e *Engine) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.fresh)
}

// QueueHoldsUp reports whether a limiter that says that a queue forms lets nobody in or out meanwhile.
func QueueHoldsUp() (holds bool) {
	var f *fairLimiter
	f = newFairLimiter(1, func(orchestrator.Key) {}, func(orchestrator.Key, int) {
		if holds = !f.mu.TryLock(); !holds {
			f.mu.Unlock()
		}
	})
	for _, id := range []string{"with the agent", "waits"} {
		f.acquire(&orchestrator.Task{ID: id}, orchestrator.Key{ID: "agent"})
	}
	return holds
}
