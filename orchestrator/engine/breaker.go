package engine

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
)

// breakerFailures is how often in a row an agent must be unreachable for its breaker to open. After a while the breaker lets one task try again; the
// other tasks wait and use up no tries meanwhile.
const breakerFailures = 5

// probeTime is how long others wait for the one task that tries whether an agent is back. An agent may take its time to answer, or never answer that task.
const probeTime = time.Minute

// minBreakersToPrune is the number of breakers below which none are removed.
const minBreakersToPrune = 1000

// breakers holds one circuit breaker for each agent that this process has sent to. Breakers without failures are removed now and then.
type breakers struct {
	delay time.Duration
	mu    sync.Mutex
	list  map[orchestrator.Key]circuitbreaker.CircuitBreaker[any] // guarded by mu; by tenant and agent
	many  int                                                     // guarded by mu; prune removes some when there are so many
}

func (b *breakers) get(tenant, agent string) circuitbreaker.CircuitBreaker[any] {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := orchestrator.Key{Tenant: tenant, ID: agent}
	if b.list == nil {
		b.list = make(map[orchestrator.Key]circuitbreaker.CircuitBreaker[any])
	}
	if b.list[k] == nil {
		b.prune()
		b.list[k] = circuitbreaker.NewBuilder[any]().WithFailureThreshold(breakerFailures).WithSuccessThreshold(1).WithDelay(b.delay).Build()
	}
	return b.list[k]
}

// prune removes breakers that are closed and have no failures, each time their number has doubled. The caller holds mu.
func (b *breakers) prune() {
	if len(b.list) < max(b.many, minBreakersToPrune) {
		return
	}
	for k, c := range b.list {
		if c.IsClosed() && c.Metrics().Failures() == 0 {
			delete(b.list, k)
		}
	}
	b.many = 2 * len(b.list)
}

// isOpen reports whether an agent's breaker is open.
func (b *breakers) isOpen(tenant, agent string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.list[orchestrator.Key{Tenant: tenant, ID: agent}]
	return c != nil && c.IsOpen() && c.RemainingDelay() > 0
}

// returnPermit gives back the permit of a task that was not sent, or got no answer, because of err. A breaker that is half open counts permits, so that
// it has to be told something even if nothing was learned about the agent.
func returnPermit(b circuitbreaker.CircuitBreaker[any], err error) {
	if agentclient.Retryable(err) || b.IsHalfOpen() {
		b.RecordFailure()
	}
}

// endProbeInTime has another task try as well if a half-open breaker learns nothing until probeTime has passed, or until the returned function is called.
func endProbeInTime(b circuitbreaker.CircuitBreaker[any]) (stop func() bool) {
	return time.AfterFunc(probeTime, func() { returnPermit(b, nil) }).Stop
}

// jittered returns a random duration between half and one and a half times d.
func jittered(d time.Duration) time.Duration {
	return d/2 + rand.N(max(d, 1)) //nolint:gosec // nothing is gained by guessing it
}
