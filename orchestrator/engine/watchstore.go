package engine

import (
	"context"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// mustInterrupt reports whether somebody has written something to a task that must interrupt its exchange: a request to cancel, or a reply.
func mustInterrupt(t *orchestrator.Task) bool {
	return t.CancelAsked || t.PendingReply() != nil && t.PendingReply().Sends == 0
}

// watchStore reads the task from the store at intervals and ends the exchange if that is urgent. Usually whoever writes to the task interrupts its
// runner, or posts to the replica that has it. But that process may die in between, or may not know yet that this replica has the task since a
// moment ago, and an exchange may last for days. So may the clock be set forward meanwhile, or the machine sleep, so that the deadline passes sooner
// than the exchange has time. The intervals are those at which tasks are searched for. The caller holds mu.
func (c *conversation) watchStore(ctx context.Context, round int) {
	c.recheckTimer = time.AfterFunc(c.engine.scans.delay(round), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if ctx.Err() != nil || c.finished {
			return
		}
		if t, err := c.engine.Store.TaskPart(ctx, c.task.Key(), orchestrator.Part{}); err == nil && (mustInterrupt(&t) || c.engine.isOverdue(&t)) {
			c.cancel(errMoved)
			return
		}
		c.watchStore(ctx, round+1)
	})
}
