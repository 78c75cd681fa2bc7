package engine

import (
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/share"
)

const (
	smallHolding = 64 << 10                       // bytes that each task with an agent may hold; they are not counted
	minHoldings  = 16 * orchestrator.MaxTaskBytes // of all agents, however few tasks there may be
)

// newHoldings returns what bounds how much memory is taken by what agents have made of tasks that they have not ended: they may go on with that for as long as
// they like. An agent may have as much as is free for others, and one task's in any case.
func newHoldings(exchanges int) *share.Bytes[orchestrator.Key] {
	return share.NewBytes[orchestrator.Key](max(exchanges*smallHolding, minHoldings))
}

// countHolding counts what the agent has made so far. If that is too much, the exchange has to end; the task goes on later. The caller holds mu.
func (c *conversation) countHolding() error {
	now := c.remote.Memory() + c.unsavedBytes
	if now <= smallHolding {
		now = 0
	}
	if now == c.held {
		return nil
	}
	has, ok := c.engine.holdings.Resize(c.agent, c.held, now)
	if !ok {
		return fault.New(fault.ResourceExhausted, agentclient.ReasonDraftsTooLarge,
			"what %s has made of tasks that it has not ended takes %d bytes of memory, and may not take more than is free for others; the task goes on later, or with a higher agents.maxExchanges",
			c.task.Agent, has)
	}
	c.held = now
	return nil
}

// endHolding ends the counting.
func (c *conversation) endHolding() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held > 0 {
		c.engine.holdings.Resize(c.agent, c.held, 0)
		c.held = 0
	}
}
