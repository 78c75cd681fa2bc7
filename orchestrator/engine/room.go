package engine

import (
	"sync"

	"github.com/quorate/quorate/orchestrator"
)

// room bounds how many tasks are with others, agents or receivers, at a time: each takes memory or one of few places for as long as that other party
// likes. A party gets one more place while it has fewer than are free, so that parties that keep their tasks long leave room for others: alone it
// gets at most half, two get a third each, and there is always some room for a party that has none (dynamic thresholds: Choudhury and Hahne, IEEE/ACM
// Transactions on Networking 6(2), 1998). Tasks that find no room queue.
type room struct {
	most int
	wake func(orchestrator.Key)
	full func(whose orchestrator.Key, in int) // called when a queue forms, once until the party has no task inside

	mu      sync.Mutex
	in      int                           // guarded by mu; tasks inside, and turns
	lines   map[orchestrator.Key]*line    // guarded by mu; by party, for parties that have tasks
	waiting map[orchestrator.Key]struct{} // guarded by mu; tasks in any queue
	turns   map[orchestrator.Key]*line    // guarded by mu; tasks whose turn it is and that have not entered yet
}

// line is the part of the room that one party, an agent or a receiver, has.
type line struct {
	whose orchestrator.Key
	in    int
	tasks []place // waiting tasks in order
	told  bool
}

type place struct {
	task  orchestrator.Key
	group int
}

func newRoom(most int, wake func(orchestrator.Key), full func(whose orchestrator.Key, in int)) *room {
	return &room{
		most: most, wake: wake, full: full,
		lines: make(map[orchestrator.Key]*line), waiting: make(map[orchestrator.Key]struct{}), turns: make(map[orchestrator.Key]*line),
	}
}

// enter lets a task in and returns the function by which it leaves. It returns nil when the task has to wait; the task is woken when it is its turn.
func (r *room) enter(t *orchestrator.Task, whose orchestrator.Key) (leave func()) {
	r.mu.Lock()
	k, l := keyOf(t), r.line(whose)
	turn := r.turns[k]
	delete(r.turns, k)
	_, waits := r.waiting[k]
	switch {
	case turn == l:
	case waits:
		r.tidy(l)
		l = nil
	case r.fits(l):
		r.take(l, 1)
	default:
		r.queue(l, place{k, orchestrator.GroupOf(t.Shard)})
		l = nil
	}
	r.mu.Unlock()
	if turn != nil && turn != l { // the task goes to another party by now
		r.left(turn)
	}
	if l == nil {
		return nil
	}
	return func() { r.left(l) }
}

// reserve gives a new task its turn at once if there is room. After true, the caller must call pass if the task does not come into being.
func (r *room) reserve(t *orchestrator.Task, whose orchestrator.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, l := keyOf(t), r.line(whose)
	if !r.fits(l) || r.turns[k] != nil {
		r.tidy(l)
		return false
	}
	r.take(l, 1)
	r.turns[k] = l
	return true
}

// pass gives up a task's turn, if it has one that it has not used, to the next task.
func (r *room) pass(k orchestrator.Key) {
	r.mu.Lock()
	l := r.turns[k]
	delete(r.turns, k)
	r.mu.Unlock()
	if l != nil {
		r.left(l)
	}
}

// left records that a task has left, and wakes the tasks whose turn it is now.
func (r *room) left(l *line) {
	r.mu.Lock()
	r.take(l, -1)
	r.tidy(l)
	next := r.next()
	r.mu.Unlock()
	for _, k := range next {
		r.wake(k)
	}
}

// drop removes the tasks of a group from all queues.
func (r *room) drop(group int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lines {
		var stay []place
		for _, p := range l.tasks {
			if p.group != group {
				stay = append(stay, p)
				continue
			}
			delete(r.waiting, p.task)
		}
		l.tasks = stay
		r.tidy(l)
	}
}

// counts returns how many tasks are inside and how many are queued.
func (r *room) counts() (in, queued int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.in, len(r.waiting)
}

// queue appends a task to a line. The caller holds mu.
func (r *room) queue(l *line, p place) {
	l.tasks = append(l.tasks, p)
	r.waiting[p.task] = struct{}{}
	if !l.told {
		l.told = true
		r.full(l.whose, l.in)
	}
}

// next hands out turns. The caller holds mu.
func (r *room) next() (turns []orchestrator.Key) {
	if len(r.waiting) == 0 {
		return nil
	}
	for _, l := range r.lines {
		for len(l.tasks) > 0 && r.fits(l) {
			k := l.tasks[0].task
			l.tasks = l.tasks[1:]
			delete(r.waiting, k)
			r.take(l, 1)
			r.turns[k] = l
			turns = append(turns, k)
		}
	}
	return turns
}

// fits reports whether a line may have one more task inside. The caller holds mu.
func (r *room) fits(l *line) bool { return l.in < r.most-r.in }

// take counts n tasks as inside. The caller holds mu.
func (r *room) take(l *line, n int) {
	l.in += n
	r.in += n
}

// line returns the line of a party. The caller holds mu.
func (r *room) line(whose orchestrator.Key) *line {
	if r.lines[whose] == nil {
		r.lines[whose] = &line{whose: whose}
	}
	return r.lines[whose]
}

// tidy removes a line without tasks. The caller holds mu.
func (r *room) tidy(l *line) {
	if l.in == 0 && len(l.tasks) == 0 {
		delete(r.lines, l.whose)
	}
}
