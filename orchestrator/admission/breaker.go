package admission

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// BreakerFailures is how often in a row an agent must be unreachable for its breaker to open. After a while the breaker lets one task try again; the
// other tasks wait and use up no tries meanwhile.
const BreakerFailures = 5

// probeTime is how long others wait for the one task that tries whether an agent is back. An agent may take its time to answer, or never answer that task.
const probeTime = time.Minute

const (
	minBreakersToPrune = 1000      // the number of breakers below which none are removed
	unusedTime         = time.Hour // after which a breaker is removed whatever it knows: tasks that wait for an agent ask for it all the time
)

// Breaker is the circuit breaker of an agent.
type Breaker struct {
	circuitbreaker.CircuitBreaker[any]

	last *atomic.Pointer[string] // how the agent failed the last time; nil before the first
}

// Fail counts that the agent was not reached because of err.
func (b Breaker) Fail(err error) {
	b.last.Store(new(agentclient.Outline(err)))
	b.RecordFailure()
}

// Cut returns the fault of a task that does not get through an open breaker to an agent.
func (b Breaker) Cut(agent string) *fault.Error {
	last := agent + " could not be reached"
	if said := b.last.Load(); said != nil {
		last = *said
	}
	return fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "%s (%d times in a row)", last, BreakerFailures)
}

// ReturnPermit gives back the permit of a task that was not sent, or got no answer, because of err. A breaker that is half open counts permits, so that
// it has to be told something even if nothing was learned about the agent.
func (b Breaker) ReturnPermit(err error) {
	switch {
	case agentclient.Retryable(err):
		b.Fail(err)
	case b.IsHalfOpen():
		b.RecordFailure()
	}
}

// EndProbeInTime has another task try as well if a half-open breaker learns nothing for a minute, or until the returned function is called.
func (b Breaker) EndProbeInTime() (stop func() bool) {
	return time.AfterFunc(probeTime, func() { b.ReturnPermit(nil) }).Stop
}

// Breakers holds one circuit breaker for each agent that this process has sent to. Those without failures are removed now and then, and those that nobody
// uses any more, such as those of agents that were deleted.
type Breakers struct {
	delay time.Duration
	now   func() time.Time
	mu    sync.Mutex
	list  map[orchestrator.Key]*used // guarded by mu; by tenant and agent
	many  int                        // guarded by mu; prune removes some when there are so many
}

// used is a breaker and the last time that it was asked for.
type used struct {
	Breaker

	at     time.Time
	opened atomic.Int64 // when it has opened the last time, in microseconds of Unix
}

// NewBreakers returns breakers that stay open for the given time before they let a task try again, unless their agent is heard of before that by the clock now.
func NewBreakers(delay time.Duration, now func() time.Time) *Breakers {
	return &Breakers{delay: delay, now: now, list: make(map[orchestrator.Key]*used)}
}

// Of returns the breaker of an agent.
func (b *Breakers) Of(tenant, agent string) Breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := orchestrator.Key{Tenant: tenant, ID: agent}
	c, ok := b.list[k]
	if !ok {
		b.prune()
		c = &used{}
		c.last = new(atomic.Pointer[string])
		c.CircuitBreaker = circuitbreaker.NewBuilder[any]().WithFailureThreshold(BreakerFailures).WithSuccessThreshold(1).WithDelay(b.delay).
			OnOpen(func(circuitbreaker.StateChangedEvent) { c.opened.Store(b.now().UnixMicro()) }).Build()
		b.list[k] = c
	}
	c.at = time.Now()
	return c.Breaker
}

// prune removes breakers that are closed and have no failures, and those that nobody uses, each time their number has doubled. The caller holds mu.
func (b *Breakers) prune() {
	if len(b.list) < max(b.many, minBreakersToPrune) {
		return
	}
	for k, c := range b.list {
		if c.IsClosed() && c.Metrics().Failures() == 0 || time.Since(c.at) > unusedTime && c.RemainingDelay() <= 0 {
			delete(b.list, k)
		}
	}
	b.many = 2 * len(b.list)
}

// IsOpen reports whether an agent's breaker is open, and is not about to let a task try. It lets one try as soon as the agent was heard of since it opened: one
// that was restarted is back long before the delay is over.
func (b *Breakers) IsOpen(tenant, agent string, heard time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.list[orchestrator.Key{Tenant: tenant, ID: agent}]
	if !ok || c.RemainingDelay() <= 0 { // which others than open ones have none of
		return false
	}
	if heard.UnixMicro() > c.opened.Load() {
		c.HalfOpen()
		return false
	}
	return true
}
