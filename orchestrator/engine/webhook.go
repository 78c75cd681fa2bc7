package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// replyWebhook returns the receiver that a reply names, or nil when it names none.
func (e *Engine) replyWebhook(r *Reply) (*orchestrator.Webhook, error) {
	if r.Webhook == nil {
		return nil, nil //nolint:nilnil // most replies name none
	}
	w, err := e.newWebhook(*r.Webhook)
	return &w, err
}

// addReplyWebhook adds the receiver of a reply, if it has one, to the task. added is false when the task has it already: clients send the same one with
// each message.
func addReplyWebhook(t *orchestrator.Task, r *Reply, w *orchestrator.Webhook) (added bool, err error) {
	if w == nil || r.Webhook.ID == "" && slices.ContainsFunc(t.Webhooks, func(old orchestrator.Webhook) bool { return sameReceiver(old, *w) }) {
		return false, nil
	}
	return true, addWebhook(t, *w)
}

// sameReceiver reports whether both have the same URL and credentials.
func sameReceiver(x, y orchestrator.Webhook) bool {
	return x.URL == y.URL && x.Token == y.Token && x.Scheme == y.Scheme && x.Credentials == y.Credentials && x.GaveUp == y.GaveUp
}

// SetWebhook adds a receiver of push notifications about the task from now on, or replaces the one with the same id, and returns it. If the task has
// the maximum number of receivers, the result is a FailedPrecondition fault with the reason TOO_MANY_WEBHOOKS; if there is no Notifier, one with the
// reason PUSH_NOT_SUPPORTED; and for a receiver that could never be told, the fault of Notifier.Check.
func (e *Engine) SetWebhook(ctx context.Context, k orchestrator.Key, w orchestrator.Webhook) (orchestrator.Webhook, error) {
	w, err := e.newWebhook(w)
	if err != nil {
		return w, err
	}
	_, err = e.update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		return nil, addWebhook(t, w)
	})
	return w, err
}

// addWebhook adds a receiver for whatever happens to the task from now on.
func addWebhook(t *orchestrator.Task, w orchestrator.Webhook) error {
	w.Due, w.Sent = t.LastEvent, t.LastEvent
	list := slices.DeleteFunc(slices.Clone(t.Webhooks), func(old orchestrator.Webhook) bool { return old.ID == w.ID })
	if len(list) >= orchestrator.MaxWebhooks {
		return fault.New(fault.FailedPrecondition, "TOO_MANY_WEBHOOKS", "task %s has %d receivers of push notifications; remove one", t.ID, len(list))
	}
	list = append(list, w)
	t.Webhooks = list
	return nil
}

// receivers returns the receivers that a submission names.
func (e *Engine) receivers(s *Submission) ([]orchestrator.Webhook, error) {
	if s.Webhook == nil {
		return nil, nil
	}
	w, err := e.newWebhook(*s.Webhook)
	return []orchestrator.Webhook{w}, err
}

// newWebhook checks a receiver and fills in its id.
func (e *Engine) newWebhook(w orchestrator.Webhook) (orchestrator.Webhook, error) {
	if e.Notifier == nil {
		return w, fault.New(fault.FailedPrecondition, "PUSH_NOT_SUPPORTED", "push notifications are not sent here")
	}
	if err := e.Notifier.Check(w); err != nil {
		return w, err
	}
	w.ID, w.CreateTime = cmp.Or(w.ID, randomHex(8)), e.now()
	return w, nil
}

// RemoveWebhook removes a receiver. It is no error if there is none with the id.
func (e *Engine) RemoveWebhook(ctx context.Context, k orchestrator.Key, id string) error {
	_, err := e.update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		list := slices.DeleteFunc(slices.Clone(t.Webhooks), func(w orchestrator.Webhook) bool { return w.ID == id })
		if len(list) == len(t.Webhooks) {
			return nil, orchestrator.ErrUnchanged
		}
		t.Webhooks = list
		return nil, nil
	})
	return err
}

// notePushDue notes in the task that its receivers have to be notified of its new state. It is part of the change itself; events is how many events are
// written with it.
func notePushDue(t *orchestrator.Task, before a2apb.TaskState, events int) {
	if len(t.Webhooks) == 0 || t.State == before || events == 0 {
		return
	}
	t.Webhooks = slices.Clone(t.Webhooks)
	for i := range t.Webhooks {
		t.Webhooks[i].Due = t.LastEvent + uint64(events) //nolint:gosec // a handful
	}
}

// queuePush has a task's receivers notified by the replica that works on the task.
func (e *Engine) queuePush(t *orchestrator.Task) {
	if e.Notifier == nil || !t.PushDue() {
		return
	}
	if !e.holds(t) {
		e.Wake(t.Key()) // hands it over
		return
	}
	e.outbox.Wake(t.Key())
}
