package engine

import (
	"sync"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/pause"
)

// scanDelays is how long it is to the second scan of a group, and to the third. A replica that takes over a group searches for its tasks at once, soon again
// because an index may lag behind, and then at intervals.
var scanDelays = []time.Duration{2 * time.Second, 8 * time.Second}

// scanSchedule says when to search for the unfinished tasks of which groups.
type scanSchedule struct {
	every  time.Duration // on average, after the first scans of a group
	gained chan struct{} // holds one token when a group may be due

	mu     sync.Mutex
	groups [orchestrator.Groups]scan // guarded by mu
	next   time.Time                 // guarded by mu; no group is due earlier
}

// scan says when to search for a group's tasks next. The zero value is for a group whose tasks are not searched for.
type scan struct {
	round int
	due   time.Time
}

// begin makes a group due that this replica holds from now on.
func (s *scanSchedule) begin(group int) {
	s.mu.Lock()
	s.groups[group] = scan{due: time.Now()}
	s.noLaterThan(time.Now())
	s.mu.Unlock()
	putToken(s.gained)
}

// end takes out a group that this replica no longer holds.
func (s *scanSchedule) end(group int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[group] = scan{}
}

// repeat makes a group due as soon as possible whose search has failed.
func (s *scanSchedule) repeat(group int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was := s.groups[group]; !was.due.IsZero() {
		s.groups[group] = scan{round: max(was.round-1, 0), due: time.Now()}
		s.noLaterThan(time.Now())
	}
}

// takeDue returns the groups whose tasks are to be searched for now, and sets when they are due next.
func (s *scanSchedule) takeDue(now time.Time) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Before(s.next) {
		return nil
	}
	s.next = now.Add(s.every)
	var due []int
	for group, x := range &s.groups {
		if x.due.IsZero() {
			continue
		}
		if !now.Before(x.due) {
			due = append(due, group)
			x = scan{round: x.round + 1, due: now.Add(s.delay(x.round))}
			s.groups[group] = x
		}
		s.noLaterThan(x.due)
	}
	return due
}

// delay returns how long it is from one search to the next, when there were round searches before.
func (s *scanSchedule) delay(round int) time.Duration {
	if round < len(scanDelays) {
		return scanDelays[round]
	}
	return pause.Jittered(s.every)
}

// noLaterThan makes groups due no later than then. The caller holds mu.
func (s *scanSchedule) noLaterThan(then time.Time) {
	if then.Before(s.next) {
		s.next = then
	}
}
