package engine

import (
	"strconv"
	"time"
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
