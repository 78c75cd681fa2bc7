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

// closeAttempt ends the open attempt, if any. What its agent asked says nothing about the end.
func (e *Engine) closeAttempt(t *orchestrator.Task, why *orchestrator.Error) {
	if a := t.EditOpenAttempt(); a != nil {
		a.EndTime, a.Error, t.StatusMessage = e.now(), why, nil
	}
}
