package share

import (
	"context"
	"slices"
	"sync"
)

// Places are a number of places among parties that wait for more than they may have. A party gets another place while it has fewer than are free; of those that may
// have one, who has waited longest comes first. They are safe for concurrent use.
type Places[K comparable] struct {
	mu    sync.Mutex
	free  int          // guarded by mu
	asked uint64       // guarded by mu; how often somebody has asked for a place
	of    map[K]*party // guarded by mu; only parties that have places or wait for one
}

// party has a line only while it may not have another place.
type party struct {
	has  int
	line []turn
}

type turn struct {
	number uint64        // smaller for those who have asked earlier
	come   chan struct{} // closed, with mu held, when the place is given
}

// NewPlaces returns n places that nobody has.
func NewPlaces[K comparable](n int) *Places[K] { return &Places[K]{free: n, of: make(map[K]*party)} }

// Take waits for a place for who, which it has until giveBack is called, once or more often. An error is the cause of the end of ctx.
func (p *Places[K]) Take(ctx context.Context, who K) (giveBack func(), err error) {
	come := p.queue(who)
	select {
	case <-come:
	case <-ctx.Done():
		if p.forgo(who, come) {
			return nil, context.Cause(ctx)
		}
	}
	return sync.OnceFunc(func() { p.giveBack(who) }), nil
}

// queue returns what is closed when who has a place.
func (p *Places[K]) queue(who K) (come chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.of[who]
	if q == nil {
		q = &party{}
		p.of[who] = q
	}
	p.asked++
	t := turn{p.asked, make(chan struct{})}
	q.line = append(q.line, t)
	if p.mayHave(q) {
		p.admit(q)
	}
	return t.come
}

// forgo leaves the line, and returns false when the place was given meanwhile.
func (p *Places[K]) forgo(who K, come chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.of[who]
	at := slices.IndexFunc(q.line, func(t turn) bool { return t.come == come })
	if at < 0 {
		return false
	}
	q.line = slices.Delete(q.line, at, at+1)
	p.forget(who, q)
	return true
}

// giveBack gives a place back, and it and others to those who may have one then.
func (p *Places[K]) giveBack(who K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.of[who]
	q.has--
	p.free++
	p.forget(who, q)
	for q := p.next(); q != nil; q = p.next() {
		p.admit(q)
	}
}

// next returns the party whose turn it is; nil when no party that waits may have a place. The caller holds mu.
func (p *Places[K]) next() (next *party) {
	for _, q := range p.of {
		if p.mayHave(q) && (next == nil || q.line[0].number < next.line[0].number) {
			next = q
		}
	}
	return next
}

// mayHave reports whether the first in the line of a party may have a place. The caller holds mu.
func (p *Places[K]) mayHave(q *party) bool { return len(q.line) > 0 && q.has < p.free }

// admit gives a place to the first in the line of a party. The caller holds mu.
func (p *Places[K]) admit(q *party) {
	q.has++
	p.free--
	close(q.line[0].come)
	q.line = q.line[1:]
}

// forget removes a party that has nothing and waits for nothing. The caller holds mu.
func (p *Places[K]) forget(who K, q *party) {
	if q.has == 0 && len(q.line) == 0 {
		delete(p.of, who)
	}
}
