package engine

import (
	"sync"

	"github.com/quorate/quorate/orchestrator"
)

// fairLimiter bounds how many tasks are with others, agents or receivers, at a time: each takes memory or one of few places for as long as that other party
// likes. A party gets one more place while it has fewer than are free, so that parties that keep their tasks long leave room for others: alone it
// gets at most half, two get a third each, and there is always some room for a party that has none (dynamic thresholds: Choudhury and Hahne, IEEE/ACM
// Transactions on Networking 6(2), 1998). Tasks that find no room queue.
type fairLimiter struct {
	limit   int
	wake    func(orchestrator.Key)
	onQueue func(whose orchestrator.Key, in int) // called when a queue forms, once until the party has no task inside

	mu      sync.Mutex
	inUse   int                           // guarded by mu; places taken, and granted
	parties map[orchestrator.Key]*party   // guarded by mu; by party, for parties that have tasks
	waiting map[orchestrator.Key]struct{} // guarded by mu; tasks in any queue
	granted map[orchestrator.Key]*party   // guarded by mu; tasks that were granted a place and have not acquired it yet
}

// party is an agent or a receiver, with the places that it has.
type party struct {
	key    orchestrator.Key
	inUse  int
	queue  []queued // waiting tasks in order
	warned bool
}

type queued struct {
	task  orchestrator.Key
	group int
}

func newFairLimiter(most int, wake func(orchestrator.Key), full func(whose orchestrator.Key, in int)) *fairLimiter {
	return &fairLimiter{
		limit: most, wake: wake, onQueue: full,
		parties: make(map[orchestrator.Key]*party), waiting: make(map[orchestrator.Key]struct{}), granted: make(map[orchestrator.Key]*party),
	}
}

// acquire takes a place for a task and returns the function that gives it back. It returns nil when the task has to wait; the task is woken when it is granted a
// place.
func (r *fairLimiter) acquire(t *orchestrator.Task, whose orchestrator.Key) (leave func()) {
	r.mu.Lock()
	k, l := keyOf(t), r.party(whose)
	turn := r.granted[k]
	delete(r.granted, k)
	_, waits := r.waiting[k]
	switch {
	case turn == l:
	case waits:
		r.prune(l)
		l = nil
	case r.hasRoom(l):
		r.count(l, 1)
	default:
		r.enqueue(l, queued{k, orchestrator.GroupOf(t.Shard)})
		l = nil
	}
	r.mu.Unlock()
	if turn != nil && turn != l { // the task goes to another party by now
		r.release(turn)
	}
	if l == nil {
		return nil
	}
	return func() { r.release(l) }
}

// reserve grants a new task a place at once if there is one. After true, the caller must call forfeit if the task does not come into being.
func (r *fairLimiter) reserve(t *orchestrator.Task, whose orchestrator.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, l := keyOf(t), r.party(whose)
	if !r.hasRoom(l) || r.granted[k] != nil {
		r.prune(l)
		return false
	}
	r.count(l, 1)
	r.granted[k] = l
	return true
}

// forfeit gives the place that a task was granted and has not acquired, if any, to the next task.
func (r *fairLimiter) forfeit(k orchestrator.Key) {
	r.mu.Lock()
	l := r.granted[k]
	delete(r.granted, k)
	r.mu.Unlock()
	if l != nil {
		r.release(l)
	}
}

// release gives a place back, and wakes the tasks that are granted one by that.
func (r *fairLimiter) release(l *party) {
	r.mu.Lock()
	r.count(l, -1)
	r.prune(l)
	next := r.grantNext()
	r.mu.Unlock()
	for _, k := range next {
		r.wake(k)
	}
}

// dropGroup removes the tasks of a group from all queues.
func (r *fairLimiter) dropGroup(group int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.parties {
		var stay []queued
		for _, p := range l.queue {
			if p.group != group {
				stay = append(stay, p)
				continue
			}
			delete(r.waiting, p.task)
		}
		l.queue = stay
		r.prune(l)
	}
}

// counts returns how many tasks are inside and how many are queued.
func (r *fairLimiter) counts() (in, queued int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inUse, len(r.waiting)
}

// enqueue appends a task to a party's queue. The caller holds mu.
func (r *fairLimiter) enqueue(l *party, p queued) {
	l.queue = append(l.queue, p)
	r.waiting[p.task] = struct{}{}
	if !l.warned {
		l.warned = true
		r.onQueue(l.key, l.inUse)
	}
}

// grantNext grants places to queued tasks. The caller holds mu.
func (r *fairLimiter) grantNext() (turns []orchestrator.Key) {
	if len(r.waiting) == 0 {
		return nil
	}
	for _, l := range r.parties {
		for len(l.queue) > 0 && r.hasRoom(l) {
			k := l.queue[0].task
			l.queue = l.queue[1:]
			delete(r.waiting, k)
			r.count(l, 1)
			r.granted[k] = l
			turns = append(turns, k)
		}
	}
	return turns
}

// hasRoom reports whether a party may have one more place. The caller holds mu.
func (r *fairLimiter) hasRoom(l *party) bool { return l.inUse < r.limit-r.inUse }

// count counts n more places as taken. The caller holds mu.
func (r *fairLimiter) count(l *party, n int) {
	l.inUse += n
	r.inUse += n
}

// party returns a party. The caller holds mu.
func (r *fairLimiter) party(whose orchestrator.Key) *party {
	if r.parties[whose] == nil {
		r.parties[whose] = &party{key: whose}
	}
	return r.parties[whose]
}

// prune removes a party without tasks. The caller holds mu.
func (r *fairLimiter) prune(l *party) {
	if l.inUse == 0 && len(l.queue) == 0 {
		delete(r.parties, l.key)
	}
}
