package engine

import (
	"context"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// urgent reports whether somebody has written something to a task that must interrupt its exchange: a request to cancel, or a reply.
func urgent(t *orchestrator.Task) bool {
	return t.CancelAsked || t.Unsent() != nil && t.Unsent().Sends == 0
}

// heed reads the task from the store at intervals and ends the exchange if that is urgent. Usually whoever writes to the task interrupts its runner,
// or posts to the replica that has it. But that process may die in between, and an exchange may last for days. The caller holds mu.
func (c *conversation) heed(ctx context.Context) {
	c.round = time.AfterFunc(jittered(c.engine.Rescan), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if ctx.Err() != nil || c.over {
			return
		}
		if t, err := c.engine.Store.Task(ctx, keyOf(&c.task)); err == nil && urgent(&t) {
			c.cancel(errMoved)
			return
		}
		c.heed(ctx)
	})
}
