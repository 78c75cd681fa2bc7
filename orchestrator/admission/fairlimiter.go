package admission

import (
	"slices"
	"sync"

	"github.com/quorate/quorate/orchestrator"
)

// FairLimiter bounds how many tasks are with others, agents or receivers, at a time: each takes memory or one of few places for as long as that other
// party likes. A party gets one more place while it has fewer than are free, so that parties that keep their tasks long leave room for others: alone
// it gets at most half, two get a third each, and there is always some room for a party that has none (dynamic thresholds: Choudhury and Hahne,
// IEEE/ACM Transactions on Networking 6(2), 1998). Tasks that find no room queue.
type FairLimiter struct {
	limit   int
	wake    func(orchestrator.Key)
	onQueue func(whose orchestrator.Key, in int)

	mu      sync.Mutex
	inUse   int                         // guarded by mu; places taken, and granted
	parties map[orchestrator.Key]*party // guarded by mu; by party, for parties that have tasks
	waiting map[orchestrator.Key]*party // guarded by mu; tasks in queues
	granted map[orchestrator.Key]*party // guarded by mu; tasks that were granted a place and have not acquired it yet
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

// NewFairLimiter returns a limiter with so many places. It calls wake for each task that had to wait and is granted a place, and onQueue when tasks of a party
// begin to wait, with the number of places that it has: once until it has no task any more. Neither is called under a lock.
func NewFairLimiter(limit int, wake func(orchestrator.Key), onQueue func(whose orchestrator.Key, in int)) *FairLimiter {
	return &FairLimiter{
		limit: limit, wake: wake, onQueue: onQueue,
		parties: make(map[orchestrator.Key]*party), waiting: make(map[orchestrator.Key]*party), granted: make(map[orchestrator.Key]*party),
	}
}

// Acquire takes a place for a task and returns the function that gives it back. It returns nil when the task has to wait; the task is woken when it
// is granted a place.
func (f *FairLimiter) Acquire(t *orchestrator.Task, whose orchestrator.Key) (leave func()) {
	f.mu.Lock()
	k, p := t.Key(), f.party(whose)
	grantedBy := f.granted[k]
	delete(f.granted, k)
	if before := f.waiting[k]; before != nil && before != p { // the task goes to another party by now
		f.leaveQueue(before, k)
	}
	enters, queues, in := false, false, p.inUse
	switch {
	case grantedBy == p:
		enters = true
	case f.waiting[k] == p: // it keeps its turn
	case f.hasRoom(p):
		f.count(p, 1)
		enters = true
	default:
		queues = f.enqueue(p, queued{k, orchestrator.GroupOf(t.Shard)})
	}
	f.mu.Unlock()
	if queues {
		f.onQueue(whose, in)
	}
	if grantedBy != nil && grantedBy != p {
		f.release(grantedBy)
	}
	if !enters {
		return nil
	}
	return func() { f.release(p) }
}

// Reserve grants a new task a place at once if there is one. After true, the caller must call Forfeit if the task does not come into being.
func (f *FairLimiter) Reserve(t *orchestrator.Task, whose orchestrator.Key) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	k, p := t.Key(), f.party(whose)
	if !f.hasRoom(p) || f.granted[k] != nil {
		f.prune(p)
		return false
	}
	f.count(p, 1)
	f.granted[k] = p
	return true
}

// Forfeit gives the place that a task was granted and has not acquired, if any, to the next task.
func (f *FairLimiter) Forfeit(k orchestrator.Key) {
	f.mu.Lock()
	p := f.granted[k]
	delete(f.granted, k)
	f.mu.Unlock()
	if p != nil {
		f.release(p)
	}
}

// release gives a place back, and wakes the tasks that are granted one by that.
func (f *FairLimiter) release(p *party) {
	f.mu.Lock()
	f.count(p, -1)
	f.prune(p)
	next := f.grantNext()
	f.mu.Unlock()
	for _, k := range next {
		f.wake(k)
	}
}

// DropGroup removes the tasks of a group from all queues.
func (f *FairLimiter) DropGroup(group int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.parties {
		var stay []queued
		for _, q := range p.queue {
			if q.group != group {
				stay = append(stay, q)
				continue
			}
			delete(f.waiting, q.task)
		}
		p.queue = stay
		f.prune(p)
	}
}

// Counts returns how many tasks are inside and how many are queued.
func (f *FairLimiter) Counts() (in, queued int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.inUse, len(f.waiting)
}

// enqueue appends a task to a party's queue, and reports whether that is to be told. The caller holds mu.
func (f *FairLimiter) enqueue(p *party, q queued) (first bool) {
	p.queue = append(p.queue, q)
	f.waiting[q.task] = p
	first, p.warned = !p.warned, true
	return first
}

// leaveQueue removes a task from a party's queue. The caller holds mu.
func (f *FairLimiter) leaveQueue(p *party, k orchestrator.Key) {
	p.queue = slices.DeleteFunc(p.queue, func(q queued) bool { return q.task == k })
	delete(f.waiting, k)
	f.prune(p)
}

// grantNext grants places to queued tasks. The caller holds mu.
func (f *FairLimiter) grantNext() (tasks []orchestrator.Key) {
	if len(f.waiting) == 0 {
		return nil
	}
	for _, p := range f.parties {
		for len(p.queue) > 0 && f.hasRoom(p) {
			k := p.queue[0].task
			p.queue = p.queue[1:]
			delete(f.waiting, k)
			f.count(p, 1)
			f.granted[k] = p
			tasks = append(tasks, k)
		}
	}
	return tasks
}

// hasRoom reports whether a party may have one more place. The caller holds mu.
func (f *FairLimiter) hasRoom(p *party) bool { return p.inUse < f.limit-f.inUse }

// count counts n more places as taken. The caller holds mu.
func (f *FairLimiter) count(p *party, n int) {
	p.inUse += n
	f.inUse += n
}

// party returns a party. The caller holds mu.
func (f *FairLimiter) party(whose orchestrator.Key) *party {
	if f.parties[whose] == nil {
		f.parties[whose] = &party{key: whose}
	}
	return f.parties[whose]
}

// prune removes a party without tasks. The caller holds mu.
func (f *FairLimiter) prune(p *party) {
	if p.inUse == 0 && len(p.queue) == 0 {
		delete(f.parties, p.key)
	}
}
