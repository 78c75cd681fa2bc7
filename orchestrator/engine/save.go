package engine

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

// scheduleSave schedules storing, a little later so as to include what follows closely. The caller holds mu.
func (c *conversation) scheduleSave(ctx context.Context) {
	if c.saveTimer == nil {
		c.saveTimer = time.AfterFunc(writeDelay, func() { c.flush(ctx) })
	}
}

// flush stores what the agent has said since the last time. While the store is away it tries again, for as long as concludePatiently does with a result:
// by the agent's id of the task, which may be in memory only, the work is found again.
func (c *conversation) flush(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil || c.finished || c.remote.Ended() {
		return // run stores the rest
	}
	switch err := c.save(ctx); {
	case err == nil:
		c.saveTimer, c.saveRetry = nil, 0
	case ctx.Err() != nil: // the exchange has ended during the write: run stores it
	case isOurs(err) && !orchestrator.Recurs(err) && c.saveRetry < maxResultPause:
		c.saveRetry = max(2*c.saveRetry, storeRetry)
		c.saveTimer.Reset(c.saveRetry)
	default:
		c.saveTimer = nil
		c.cancel(err)
	}
}

// save stores everything that is not stored yet. The caller holds mu.
func (c *conversation) save(ctx context.Context) error {
	if c.remote.Recorded(&c.task) && c.task.LastEvent > orchestrator.MaxEvents { // the log has no room for it
		c.unsavedProgress, c.unsavedBytes = nil, 0
		return nil
	}
	said := c.unsavedProgress
	err := c.write(ctx, func(t *orchestrator.Task) []orchestrator.Event {
		c.remote.RecordIDs(t)
		before := t.State
		t.State = c.remote.MirroredState()
		c.remote.RecordTurns(t, c.engine.now())
		events := guardedProgress(t, said...)
		if orchestrator.Interrupted(t.State) {
			keepState(events, said, before)
		}
		if t.State != before { // watchers must learn of it even when the agent says nothing
			events = append(events, event(t, orchestrator.EventState, "the agent's task is in state "+c.remote.State.String()))
		}
		return events
	})
	if err == nil {
		c.unsavedProgress, c.unsavedBytes = nil, 0
		_ = c.countHolding() // of less than before
	}
	return err
}

// keepState lets what was said before the agent asked have the state of before: a stream ends with the first event that waits.
func keepState(events []orchestrator.Event, said []remark, before a2apb.TaskState) {
	for i := range events {
		if !said[i].asks {
			events[i].State = before
		}
	}
}

// write updates the task if it is still in this attempt, and refreshes the conversation's copy of it. The caller holds mu.
func (c *conversation) write(ctx context.Context, do change) error {
	t, err := c.engine.updateOwned(ctx, &c.task, attemptOpen, do)
	if err != nil {
		return err
	}
	c.task = t
	return nil
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
