package engine

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/quorate/quorate/orchestrator"
)

// A breaker opens when an agent could not be reached so many times in a row, and lets one task try again after a while. The others wait and do not
// use up their tries meanwhile.
const breakerFailures = 5

// fewBreakers are kept without looking at them.
const fewBreakers = 1000

// breakers has one circuit breaker for each agent that this process has sent to, but for those of whom there is nothing to know any more.
type breakers struct {
	delay time.Duration
	mu    sync.Mutex
	list  map[orchestrator.Key]circuitbreaker.CircuitBreaker[any] // guarded by mu; by tenant and agent
	many  int                                                     // guarded by mu; so many are looked through for those
}

func (b *breakers) of(tenant, agent string) circuitbreaker.CircuitBreaker[any] {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := orchestrator.Key{Tenant: tenant, ID: agent}
	if b.list == nil {
		b.list = make(map[orchestrator.Key]circuitbreaker.CircuitBreaker[any])
	}
	if b.list[k] == nil {
		b.tidy()
		b.list[k] = circuitbreaker.NewBuilder[any]().WithFailureThreshold(breakerFailures).WithSuccessThreshold(1).WithDelay(b.delay).Build()
	}
	return b.list[k]
}

// tidy forgets the breakers that are as new ones are, whenever there are twice as many as were left; mu is held.
func (b *breakers) tidy() {
	if len(b.list) < max(b.many, fewBreakers) {
		return
	}
	for k, c := range b.list {
		if c.IsClosed() && c.Metrics().Failures() == 0 {
			delete(b.list, k)
		}
	}
	b.many = 2 * len(b.list)
}

// open reports whether an agent's breaker is open.
func (b *breakers) open(tenant, agent string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.list[orchestrator.Key{Tenant: tenant, ID: agent}]
	return c != nil && c.IsOpen() && c.RemainingDelay() > 0
}

// jittered spreads waits of many tasks over half to one and a half times d.
func jittered(d time.Duration) time.Duration {
	return d/2 + rand.N(max(d, 1)) //nolint:gosec // nobody gains by guessing it
}
