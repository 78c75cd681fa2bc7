package engine

import (
	"sync"

	"github.com/quorate/quorate/orchestrator"
)

// room bounds how many tasks are with others at a time, agents or receivers: each takes memory, or one of few places, for as long as these others like. One of
// them gets one more as long as it has fewer than are free, so that those that keep their tasks for long leave room for others: one has at most half, two
// a third each, and there is always some for who has none (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2),
// 1998). Who finds no room stands in line.
type room struct {
	most int
	wake func(orchestrator.Key)
	full func(whose orchestrator.Key, in int) // is told that a line begins, once until whose it is has no task

	mu      sync.Mutex
	in      int                           // guarded by mu; tasks with others, and turns
	lines   map[orchestrator.Key]*line    // guarded by mu; by whose they are, of those that have tasks
	waiting map[orchestrator.Key]struct{} // guarded by mu; tasks in any line
	turns   map[orchestrator.Key]*line    // guarded by mu; of tasks whose turn it is and that have not come yet
}

// line is the share of the room that one agent or receiver has.
type line struct {
	whose orchestrator.Key
	in    int
	tasks []place // that wait, the first first
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

// enter has a task come in, and returns what has it leave; nil when it has to wait, and is woken when its turn has come.
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
	if turn != nil && turn != l { // it has gone to somebody else meanwhile
		r.left(turn)
	}
	if l == nil {
		return nil
	}
	return func() { r.left(l) }
}

// reserve gives a new task its turn at once, if there is room; who gets true passes it on when there will be no such task.
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

// pass gives a task's turn to the next, if it has one that it has not taken.
func (r *room) pass(k orchestrator.Key) {
	r.mu.Lock()
	l := r.turns[k]
	delete(r.turns, k)
	r.mu.Unlock()
	if l != nil {
		r.left(l)
	}
}

// left says that a task has left, and wakes those whose turn has come.
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

// drop takes the tasks of a group out of all lines.
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

// counts returns how many tasks are inside and how many in line.
func (r *room) counts() (in, queued int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.in, len(r.waiting)
}

// queue puts a task at the end of a line; mu is held.
func (r *room) queue(l *line, p place) {
	l.tasks = append(l.tasks, p)
	r.waiting[p.task] = struct{}{}
	if !l.told {
		l.told = true
		r.full(l.whose, l.in)
	}
}

// next gives out turns; mu is held.
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

// fits reports whether a line may have one more inside; mu is held.
func (r *room) fits(l *line) bool { return l.in < r.most-r.in }

// take counts; mu is held.
func (r *room) take(l *line, n int) {
	l.in += n
	r.in += n
}

// line returns somebody's line; mu is held.
func (r *room) line(whose orchestrator.Key) *line {
	if r.lines[whose] == nil {
		r.lines[whose] = &line{whose: whose}
	}
	return r.lines[whose]
}

// tidy forgets a line that nobody is in; mu is held.
func (r *room) tidy(l *line) {
	if l.in == 0 && len(l.tasks) == 0 {
		delete(r.lines, l.whose)
	}
}
