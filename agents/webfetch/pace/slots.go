package pace

import (
	"container/list"
	"context"
	"sync"
)

// Slots are for what is done at once, whatever its site. They are shared out so that a slow site holds up itself and nobody else: a
// site gets another slot only while it holds fewer than are free. Alone it gets half of them, the next one half of the rest, and
// there is one left for a site that has none until as many sites are slow at a time. Whoever waits for the longest comes first.
// It is safe for concurrent use.
type Slots struct {
	mu      sync.Mutex
	free    int            // guarded by mu
	held    map[string]int // by site, none that holds none; guarded by mu
	waiting list.List      // of *claim, none that could have a slot, the oldest in front; guarded by mu
}

type claim struct {
	site    string
	granted chan struct{} // closed, with mu held, when the slot is the claim's
}

// NewSlots returns n slots.
func NewSlots(n int) *Slots { return &Slots{free: n, held: make(map[string]int)} }

// Take returns when the caller has a slot for the site of host, or with the cause of ctx's end; the caller calls done when it is over.
func (s *Slots) Take(ctx context.Context, host string) (done func(), err error) {
	c := &claim{site: Site(host), granted: make(chan struct{})}
	place := s.claim(c)
	select {
	case <-c.granted:
	case <-ctx.Done():
		if s.withdraw(place, c) {
			return nil, context.Cause(ctx)
		}
	}
	return sync.OnceFunc(func() { s.give(c.site) }), nil
}

// claim grants c a slot or has it wait at the place that it returns.
func (s *Slots) claim(c *claim) (place *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.grant(c) {
		place = s.waiting.PushBack(c)
	}
	return place
}

// withdraw makes c wait no more, and tells whether it has no slot.
func (s *Slots) withdraw(place *list.Element, c *claim) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-c.granted: // at the same time
		return false
	default:
		s.waiting.Remove(place)
		return true
	}
}

// grant gives c a slot when its site may have one. It needs mu.
func (s *Slots) grant(c *claim) bool {
	if s.held[c.site] >= s.free {
		return false
	}
	s.free--
	s.held[c.site]++
	close(c.granted)
	return true
}

// give takes a slot of the site back, for whoever waits for one.
func (s *Slots) give(site string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if s.held[site]--; s.held[site] == 0 {
		delete(s.held, site)
	}
	for place := s.waiting.Front(); place != nil && s.free > 0; {
		next := place.Next()
		if c, _ := place.Value.(*claim); s.grant(c) {
			s.waiting.Remove(place)
		}
		place = next
	}
}
