package pace

import (
	"container/list"
	"context"
	"sync"
)

// Slots bound what is done at a time, over all sites. They are shared so that a slow site delays only itself: a site gets another slot only while it
// holds fewer than are free. Alone it gets half of the slots, a second site half of the rest, and so on, so there is a slot for a site without one
// until many sites are slow at the same time. Those that have waited longest come first. It is safe for concurrent use.
type Slots struct {
	mu      sync.Mutex
	free    int            // guarded by mu
	held    map[string]int // guarded by mu; by site, only sites with slots
	waiting list.List      // guarded by mu; of *claim, the oldest in front, none that could have a slot
}

type claim struct {
	site    string
	granted chan struct{} // closed, with mu held, when the claim has its slot
}

// NewSlots returns n slots.
func NewSlots(n int) *Slots { return &Slots{free: n, held: make(map[string]int)} }

// Take returns when the caller has a slot for the site of host, or with the cause when ctx ends first. The caller calls done when it no longer needs
// the slot.
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

// claim grants c a slot, or puts it into the queue at the place that it returns.
func (s *Slots) claim(c *claim) (place *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.grant(c) {
		place = s.waiting.PushBack(c)
	}
	return place
}

// withdraw removes c from the queue, and reports whether it has no slot.
func (s *Slots) withdraw(place *list.Element, c *claim) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-c.granted: // it was granted at the same time
		return false
	default:
		s.waiting.Remove(place)
		return true
	}
}

// grant gives c a slot if its site may have one. The caller holds mu.
func (s *Slots) grant(c *claim) bool {
	if s.held[c.site] >= s.free {
		return false
	}
	s.free--
	s.held[c.site]++
	close(c.granted)
	return true
}

// give returns a slot of the site, and hands it to a waiting claim.
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
