package engine

import (
	"context"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// urgent reports whether somebody has written into a task what the exchange with its agent must not go on without: the wish for its end, or a reply.
func urgent(t *orchestrator.Task) bool {
	return t.CancelAsked || t.Unsent() != nil && t.Unsent().Sends == 0
}

// heed looks at the task in the store every so often, and ends the exchange if that is urgent. Whoever writes so interrupts the runner, or leaves word with the
// replica that has it; but that may die in between, or end, and an exchange may last for days. The caller holds mu.
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
