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

// Line is a fairLimiter of agents, with the names of the tasks that it has woken.
type Line struct {
	*fairLimiter
	Woken []string
}

// NewLine returns a line for so many places.
func NewLine(places int) *Line {
	l := new(Line)
	l.fairLimiter = newFairLimiter(places, func(k orchestrator.Key) { l.Woken = append(l.Woken, k.ID) }, func(orchestrator.Key, int) {})
	return l
}

// Enter is acquire for a task of a group.
func (l *Line) Enter(task, agent string, group int) (leave func()) {
	return l.acquire(&orchestrator.Task{ID: task, Shard: group * orchestrator.ShardsPerGroup}, orchestrator.Key{ID: agent})
}

// Drop is dropGroup.
func (l *Line) Drop(group int) { l.dropGroup(group) }

// Kept returns for how many tasks there is a place or a turn, and for how many agents something is kept.
func (l *Line) Kept() (tasks, agents int) {
	in, queued := l.counts()
	return in + queued, len(l.parties)
}
