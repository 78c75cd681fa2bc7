package rpcserver

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

// DefaultMaxCalls is the limit on open calls if Limits gives none. An open stream takes about 130 KB of memory.
const DefaultMaxCalls = 8192

// Limits bound what one caller can make a server do. A caller is a tenant and a name, whichever of its keys or roles it uses.
type Limits struct {
	// MaxCalls is how many calls may be open at a time, streams and waiting calls included; zero means DefaultMaxCalls. One caller may have at most as
	// many open calls as there are free ones: alone it can have half of MaxCalls, two callers can have a third each, and so on.
	MaxCalls int

	// PerSecond is how many calls one caller may begin per second; zero means no limit.
	PerSecond float64

	// Burst is how many calls one caller may begin at once; zero means as many as PerSecond, at least one.
	Burst int
}

// callers divides the capacity of a server among its callers, so that none can take all of it. A caller may open another call as long as it has fewer open
// calls than there are free ones, which always leaves some for a caller that has none (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on
// Networking 6(2), 1998).
type callers struct {
	limits Limits

	mu    sync.Mutex
	open  int                     // guarded by mu
	known map[caller]*callerState // guarded by mu
	sweep int                     // guarded by mu; the size of known at which callers that need not be remembered are removed
}

// caller identifies whose limits apply to a call: those of a principal or, for those whom nobody knows, of an address, which has no tenant.
type caller struct{ tenant, name string }

func callerOf(p auth.Principal) caller { return caller{p.Tenant, p.Name} }

// callerState is what one caller uses.
type callerState struct {
	open int
	rate *rate.Limiter // nil: no limit
}

// minSweep is the number of remembered callers below which none is removed.
const minSweep = 1024

func newCallers(l Limits) *callers {
	if l.MaxCalls <= 0 {
		l.MaxCalls = DefaultMaxCalls
	}
	if l.Burst <= 0 {
		l.Burst = int(math.Ceil(min(l.PerSecond, math.MaxInt32)))
	}
	return &callers{limits: l, known: make(map[caller]*callerState), sweep: minSweep}
}

// enter counts a call as open until leave is called. A caller beyond its limits gets a ResourceExhausted fault with a time to retry after: CALLS_TOO_MANY if
// it has too many open calls, RATE_LIMITED if it begins calls too fast.
func (c *callers) enter(who caller) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state(who)
	if s.open >= c.limits.MaxCalls-c.open {
		c.prune(who, s)
		return nil, retryLater(time.Second, "CALLS_TOO_MANY",
			"this caller has %d calls open, streams included, and may not have more than are free for others; close some of them or retry later", s.open)
	}
	if s.rate != nil {
		turn := s.rate.Reserve()
		if wait := turn.Delay(); wait > 0 {
			turn.Cancel()
			return nil, retryLater(wait, "RATE_LIMITED", "a caller may begin %g calls per second, and %d at once; retry in %s", c.limits.PerSecond, c.limits.Burst,
				max(wait, time.Millisecond).Round(time.Millisecond))
		}
	}
	s.open++
	c.open++
	return func() { c.leave(who, s) }, nil
}

func retryLater(wait time.Duration, reason, format string, args ...any) error {
	err := fault.New(fault.ResourceExhausted, reason, format, args...)
	err.RetryAfter = wait
	return err
}

func (c *callers) leave(who caller, s *callerState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.open--
	c.open--
	c.prune(who, s)
}

// state returns the state of a caller; mu must be held.
func (c *callers) state(who caller) *callerState {
	s := c.known[who]
	if s != nil {
		return s
	}
	s = &callerState{}
	if c.limits.PerSecond > 0 {
		s.rate = rate.NewLimiter(rate.Limit(c.limits.PerSecond), c.limits.Burst)
	}
	if len(c.known) >= c.sweep {
		for other, s := range c.known {
			c.prune(other, s)
		}
		c.sweep = max(minSweep, 2*len(c.known))
	}
	c.known[who] = s
	return s
}

// prune removes a caller whose state is that of one who never called; mu must be held.
func (c *callers) prune(who caller, s *callerState) {
	if s.open == 0 && (s.rate == nil || s.rate.Tokens() >= float64(c.limits.Burst)) {
		delete(c.known, who)
	}
}

// Enter counts a call of the caller in ctx as open until leave is called. It is for handlers that call Admit; calls over gRPC and REST, and requests to
// handlers behind Authenticated, are counted anyway. A caller beyond its limits gets a ResourceExhausted fault with the reason CALLS_TOO_MANY or RATE_LIMITED.
func (s *Server) Enter(ctx context.Context) (leave func(), err error) {
	p, ok := auth.FromContext(ctx)
	if !ok {
		return func() {}, nil
	}
	return s.callers.enter(callerOf(p))
}
