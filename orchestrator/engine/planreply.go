package engine

import (
	"context"
	"fmt"

	"github.com/quorate/quorate/orchestrator"
)

// replyToStep passes a reply on to the task that asks through its parent, and wakes the parent.
func (e *Engine) replyToStep(ctx context.Context, parent *orchestrator.Task, r *Reply) (orchestrator.Task, error) {
	was, s := parent.Plan.Asking, parent.Plan.Waiting()
	m := orchestrator.CopyMessage(r.Message)
	m.TaskId, m.ContextId = "", ""
	defer e.Wake(r.Key)
	child, err := e.Reply(ctx, Reply{
		Key: orchestrator.Key{Tenant: parent.Tenant, ID: s.TaskID}, Caller: r.Caller, Message: m, RequestID: r.RequestID, asked: was,
	})
	if err != nil {
		return orchestrator.Task{}, err
	}
	now, err := e.update(ctx, r.Key, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		if t.Ended() || t.Plan.Asking == nil || *t.Plan.Asking != *was {
			return nil, orchestrator.ErrUnchanged
		}
		showResumed(t, &child)
		return []orchestrator.Event{event(t, orchestrator.EventReply, fmt.Sprintf("message %d, from %s, is for step %d of %d (%s), task %s",
			len(t.Turns), r.Caller, was.Step, len(t.Plan.Steps), s.Agent, s.TaskID))}, nil
	})
	if err == nil {
		return now, nil
	}
	e.Logger.WarnContext(ctx, "a task does not show yet that its step has a reply; its next round does", taskAttr(parent), errAttr(err))
	shown := *parent
	showResumed(&shown, &child)
	return shown, nil
}

// showResumed makes a task show that the step for which it waited goes on, with a task that has changed.
func showResumed(t, child *orchestrator.Task) {
	was := t.Plan.Asking
	t.Plan = t.Plan.Clone()
	t.Plan.Asking, t.Plan.Steps[was.Step-1].State = nil, child.State
	endWait(t, was, child)
}

// stepGoesOn has the task of a plan show that a step of it waits for no consultation any more, as replyToStep does with a reply: whoever had the
// consultation held and watches the task is not to be told that it waits.
func (e *Engine) stepGoesOn(ctx context.Context, child *orchestrator.Task) {
	k := child.ParentKey()
	defer e.Wake(k)
	_, err := e.update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		s := t.Plan.Waiting()
		if t.Ended() || s == nil || s.TaskID != child.ID || t.Plan.Asking.Gate == "" {
			return nil, orchestrator.ErrUnchanged
		}
		step := t.Plan.Asking.Step
		showResumed(t, child)
		r := newPlanRound(t)
		r.logResumed(step - 1)
		return r.events, nil
	})
	if err != nil {
		e.Logger.WarnContext(ctx, "a task does not show yet that its step goes on; its next round does", taskAttr(child), errAttr(err))
	}
}
