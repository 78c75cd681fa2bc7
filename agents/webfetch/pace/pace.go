// Package pace limits requests to each site, by rate and in number at a time, so that an agent does not overload a site, and a slow site does not
// delay the others. A site is everything below one registrable domain.
package pace

import (
	"container/list"
	"context"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/time/rate"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

// ReasonRateLimited is the reason of a ResourceExhausted fault: the caller's deadline is before its turn.
const ReasonRateLimited = "RATE_LIMITED"

// Options are the numbers of a Limiter. Zero fields mean the defaults.
type Options struct {
	PerSecond float64 // requests to one site: 0 means 20
	Burst     int     // requests to one site that may follow each other without a pause: 0 means 40
	AtOnce    int     // requests to one site at a time: 0 means 8
	MaxSites  int     // that are tracked: 0 means 10,000; the least recently used one is dropped first
}

// Limiter hands out turns. It is safe for concurrent use.
type Limiter struct {
	options Options

	mu    sync.Mutex
	sites map[string]*list.Element // guarded by mu
	order *list.List               // of *site, the last used in front; guarded by mu
}

type site struct {
	name  string
	rate  *rate.Limiter
	slots chan struct{}
	users int           // guarded by Limiter.mu; a site in use is not dropped
	until time.Time     // guarded by Limiter.mu; no turns before this time
	delay time.Duration // guarded by Limiter.mu; minimum time between two requests, as the site asked
	holds time.Time     // when delay ends; guarded by Limiter.mu
}

// New returns a Limiter.
func New(o Options) *Limiter {
	if o.PerSecond <= 0 {
		o.PerSecond = 20
	}
	if o.Burst <= 0 {
		o.Burst = 40
	}
	if o.AtOnce <= 0 {
		o.AtOnce = 8
	}
	if o.MaxSites <= 0 {
		o.MaxSites = 10_000
	}
	return &Limiter{options: o, sites: make(map[string]*list.Element), order: list.New()}
}

// Wait returns when it is the caller's turn at the site of host; the caller calls done when its request is over. If the turn would come after the
// deadline of ctx, Wait returns a fault at once that says when to try again.
func (l *Limiter) Wait(ctx context.Context, host string) (done func(), err error) {
	s := l.take(Site(host))
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		l.leave(s)
		return nil, context.Cause(ctx)
	}
	if err := l.turn(ctx, s); err != nil {
		<-s.slots
		l.leave(s)
		return nil, err
	}
	return func() {
		<-s.slots
		l.leave(s)
	}, nil
}

// turn waits for the rate limit, and for what the site itself has asked for, even if it does so meanwhile.
func (l *Limiter) turn(ctx context.Context, s *site) error {
	l.restore(s)
	reservation := s.rate.Reserve()
	for {
		wait := l.left(s, reservation)
		if wait <= 0 {
			return nil
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			reservation.Cancel()
			return tooOften(s.name, wait)
		}
		if err := pause.For(ctx, wait); err != nil {
			reservation.Cancel()
			return err
		}
	}
}

// left returns how long it is until the turn of a reservation.
func (l *Limiter) left(s *site, r *rate.Reservation) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(r.Delay(), time.Until(s.until))
}

// restore restores a site's rate when the delay that it asked for has ended.
func (l *Limiter) restore(s *site) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.delay > 0 && !time.Now().Before(s.holds) {
		s.delay = 0
		s.rate.SetLimit(rate.Limit(l.options.PerSecond))
		s.rate.SetBurst(l.options.Burst)
	}
}

func tooOften(name string, wait time.Duration) error {
	err := fault.New(fault.ResourceExhausted, ReasonRateLimited, "%s is read as often as it may be; come again in %s", name, wait.Round(time.Second/10)).With("site", name)
	err.RetryAfter = wait
	return err
}

// Defer stops requests to the site of host for a while, because it said that it is busy.
func (l *Limiter) Defer(host string, wait time.Duration) {
	s := l.take(Site(host))
	defer l.leave(s)
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(wait); until.After(s.until) {
		s.until = until
	}
}

// Slow sets a minimum delay between two requests to the site of host until a time: its robots.txt asks for it, and is read again then. Of several
// delays in force, the longest counts.
func (l *Limiter) Slow(host string, delay time.Duration, until time.Time) {
	s := l.take(Site(host))
	defer l.leave(s)
	l.restore(s)
	l.mu.Lock()
	defer l.mu.Unlock()
	limit := rate.Every(delay)
	switch {
	case limit >= rate.Limit(l.options.PerSecond) || delay < s.delay:
	case delay > s.delay:
		s.delay, s.holds = delay, until
		s.rate.SetLimit(limit)
		s.rate.SetBurst(1)
	case until.After(s.holds):
		s.holds = until
	}
}

func (l *Limiter) take(name string) *site {
	l.mu.Lock()
	defer l.mu.Unlock()
	if element := l.sites[name]; element != nil {
		l.order.MoveToFront(element)
		s, _ := element.Value.(*site)
		s.users++
		return s
	}
	s := &site{name: name, rate: rate.NewLimiter(rate.Limit(l.options.PerSecond), l.options.Burst), slots: make(chan struct{}, l.options.AtOnce), users: 1}
	l.sites[name] = l.order.PushFront(s)
	for element := l.order.Back(); element != nil && l.order.Len() > l.options.MaxSites; {
		before := element.Prev()
		if old, _ := element.Value.(*site); old.users == 0 {
			delete(l.sites, old.name)
			l.order.Remove(element)
		}
		element = before
	}
	return s
}

func (l *Limiter) leave(s *site) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.users--
}

// Site returns the site of host: its registrable domain, or the host itself when it has none. Different spellings of a host give the same site.
func Site(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}
