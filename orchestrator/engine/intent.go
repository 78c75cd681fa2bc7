package engine

import (
	"context"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

// storeIntent stores that the message is about to be sent, under which id, and how often it has been by then.
func (e *Engine) storeIntent(ctx context.Context, read orchestrator.Task, binding string) (orchestrator.Task, error) {
	return e.updateOwned(ctx, &read, sameAttempt, func(t *orchestrator.Task) []orchestrator.Event {
		sent := e.addAttempt(t, binding)
		if found := read.OpenAttempt(); found != nil { // it may just have been found
			t.OpenAttempt().RemoteTaskID = found.RemoteTaskID
		}
		if t.LastEvent > orchestrator.MaxEvents {
			return nil
		}
		return []orchestrator.Event{sent}
	})
}

// addAttempt writes the intent to send to the task: a new attempt, or one more sending of the open one.
func (e *Engine) addAttempt(t *orchestrator.Task, binding string) orchestrator.Event {
	a := t.EditOpenAttempt()
	if a == nil {
		n := len(t.Attempts) + 1
		t.Attempts = append(t.Attempts, orchestrator.Attempt{
			Number: n, Agent: t.Agent, MessageID: t.MessageID(n), StartTime: e.now(),
		})
		a = t.OpenAttempt()
	}
	a.Binding, a.Error = binding, nil
	t.State = a2apb.TaskState_TASK_STATE_WORKING
	if reply := t.EditPendingReply(); reply != nil {
		reply.Sends++
		return event(t, orchestrator.EventAttempt, fmt.Sprintf("attempt %d: message %d to %s over %s", a.Number, reply.Number, a.Agent, binding))
	}
	a.Sends++
	a.NotTaken = false
	if a.Sends > 1 {
		return event(t, orchestrator.EventAttempt, fmt.Sprintf("attempt %d: taken up again with %s over %s", a.Number, a.Agent, binding))
	}
	return event(t, orchestrator.EventAttempt, fmt.Sprintf("attempt %d: to %s over %s", a.Number, a.Agent, binding))
}

// hold is the lease under which a task was accepted.
type hold struct {
	group int
	epoch uint64
}

// markFresh notes that the task was accepted together with the intent to send its message.
func (e *Engine) markFresh(t *orchestrator.Task) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fresh[t.Key()] = hold{group: orchestrator.GroupOf(t.Shard), epoch: t.OwnerEpoch}
}

// claimFresh reports, once, whether this process accepted the task together with the intent to send, has held its lease ever since, and has not sent
// the message yet. The note may be that of another submission of the same request, whose task was not the one that was stored; so the task has to show
// its only sending, and nothing that came of it.
func (e *Engine) claimFresh(t *orchestrator.Task) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	under, ok := e.fresh[t.Key()]
	delete(e.fresh, t.Key())
	a := t.OpenAttempt()
	return ok && under.epoch == t.OwnerEpoch && a != nil && a.Number == 1 && a.Sends == 1 && a.RemoteTaskID == "" && a.Error == nil
}

// closeAttempt ends the open attempt, if any.
func (e *Engine) closeAttempt(t *orchestrator.Task, why *orchestrator.Error) {
	if a := t.EditOpenAttempt(); a != nil {
		a.EndTime, a.Error = e.now(), why
	}
}
