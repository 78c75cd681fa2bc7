package engine

import (
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

const (
	smallHolding = 64 << 10                       // bytes that each task with an agent may hold; they are not counted
	minHoldings  = 16 * orchestrator.MaxTaskBytes // of all agents, however few tasks there may be
)

// holdings bound how much memory is taken by what agents have made of tasks that they have not ended: they may go on with that for as long as they like. An
// agent may have as much as is free for others, and one task's in any case.
type holdings struct {
	most int

	mu    sync.Mutex
	bytes int                      // guarded by mu
	of    map[orchestrator.Key]int // guarded by mu; bytes, by agent
}

func newHoldings(exchanges int) *holdings {
	return &holdings{most: max(exchanges*smallHolding, minHoldings), of: make(map[orchestrator.Key]int)}
}

// resize counts now bytes of a task in place of what it had. It returns false, and counts nothing, when those are too many; has is what the agent has.
func (h *holdings) resize(agent orchestrator.Key, was, now int) (has int, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	more := now - was
	if has = h.of[agent]; more > 0 && has > was && has+more > h.most-h.bytes-more {
		return has, false
	}
	h.bytes += more
	if h.of[agent] += more; h.of[agent] == 0 {
		delete(h.of, agent)
	}
	return has, true
}

// memory returns about how many bytes of memory what the agent has made takes.
func (h *remoteState) memory() int {
	return h.bytes + h.values*orchestrator.ValueBytes + h.statusMemory + h.metadataMemory
}

func memoryOf(m proto.Message) int { return proto.Size(m) + orchestrator.Overhead(m) }

// hold counts what the agent has made so far. If that is too much, the exchange has to end; the task goes on later. The caller holds mu.
func (c *conversation) hold() error {
	now := c.remote.memory()
	if now <= smallHolding {
		now = 0
	}
	if now == c.held {
		return nil
	}
	has, ok := c.engine.holdings.resize(agentKey(&c.task), c.held, now)
	if !ok {
		return fault.New(fault.ResourceExhausted, agentclient.ReasonDraftsTooLarge,
			"what %s has made of tasks that it has not ended takes %d bytes of memory, and may not take more than is free for others; the task goes on later, or with a higher agents.maxExchanges",
			c.task.Agent, has)
	}
	c.held = now
	return nil
}

// letGo ends the counting.
func (c *conversation) letGo() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held > 0 {
		c.engine.holdings.resize(agentKey(&c.task), c.held, 0)
		c.held = 0
	}
}
