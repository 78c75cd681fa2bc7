package engine

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/quorate/quorate/orchestrator"
)

// maxAsks is how many of its tasks an agent is asked for at a time. Thousands of tasks may be with one agent: without a bound, those that are asked for at about
// the same time each open a connection and run beside one another, and all other tasks wait for all of them.
const maxAsks = 64

// asks are the calls that ask agents for their tasks. The zero value has none.
type asks struct {
	mu sync.Mutex
	of map[orchestrator.Key]*agentAsks // guarded by mu; by agent, for agents that are asked
}

type agentAsks struct {
	places *semaphore.Weighted
	calls  int // guarded by asks.mu; also those that wait
}

// begin waits until an agent may be asked, and returns the function to call when it has answered.
func (a *asks) begin(ctx context.Context, agent orchestrator.Key) (end func(), err error) {
	a.mu.Lock()
	if a.of == nil {
		a.of = make(map[orchestrator.Key]*agentAsks)
	}
	x := a.of[agent]
	if x == nil {
		x = &agentAsks{places: semaphore.NewWeighted(maxAsks)}
		a.of[agent] = x
	}
	x.calls++
	a.mu.Unlock()
	if err := x.places.Acquire(ctx, 1); err != nil {
		a.leave(agent, x)
		return nil, context.Cause(ctx)
	}
	return func() {
		x.places.Release(1)
		a.leave(agent, x)
	}, nil
}

func (a *asks) leave(agent orchestrator.Key, x *agentAsks) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if x.calls--; x.calls == 0 {
		delete(a.of, agent)
	}
}
