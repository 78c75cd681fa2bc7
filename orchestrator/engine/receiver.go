package engine

import (
	"slices"

	"github.com/quorate/quorate/orchestrator"
)

// receiverOf checks the receiver that comes with a reply, and returns what adds it to the task, unless there is none or it is told already: clients send the
// same one with each message. It is added with the reply, so that neither comes without the other.
func (e *Engine) receiverOf(r *Reply) (add func(*orchestrator.Task) (added bool, err error), err error) {
	if r.Webhook == nil {
		return func(*orchestrator.Task) (bool, error) { return false, nil }, nil
	}
	w, err := e.newWebhook(*r.Webhook)
	if err != nil {
		return nil, err
	}
	return func(t *orchestrator.Task) (bool, error) {
		if r.Webhook.ID == "" && slices.ContainsFunc(t.Webhooks, func(old orchestrator.Webhook) bool { return sameReceiver(old, w) }) {
			return false, nil
		}
		return true, addWebhook(t, w)
	}, nil
}

// sameReceiver reports whether both are told at the same place in the same way, as long as they are.
func sameReceiver(x, y orchestrator.Webhook) bool {
	return x.URL == y.URL && x.Token == y.Token && x.Scheme == y.Scheme && x.Credentials == y.Credentials && x.GaveUp == y.GaveUp
}
