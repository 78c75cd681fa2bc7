package engine

import (
	"slices"

	"github.com/quorate/quorate/orchestrator"
)

// receiverOf checks the receiver that comes with a reply, and returns what adds it to the task. That returns orchestrator.ErrUnchanged when there is none or
// it is told already: clients send the same one with each message. It is added with the reply, so that neither comes without the other.
func (e *Engine) receiverOf(r *Reply) (add func(*orchestrator.Task) error, err error) {
	if r.Webhook == nil {
		return func(*orchestrator.Task) error { return orchestrator.ErrUnchanged }, nil
	}
	w, err := e.newWebhook(*r.Webhook)
	if err != nil {
		return nil, err
	}
	return func(t *orchestrator.Task) error {
		if r.Webhook.ID == "" && slices.ContainsFunc(t.Webhooks, func(old orchestrator.Webhook) bool { return sameReceiver(old, w) }) {
			return orchestrator.ErrUnchanged
		}
		return addWebhook(t, w)
	}, nil
}

// sameReceiver reports whether both are told at the same place in the same way, as long as they are.
func sameReceiver(x, y orchestrator.Webhook) bool {
	return x.URL == y.URL && x.Token == y.Token && x.Scheme == y.Scheme && x.Credentials == y.Credentials && x.GaveUp == y.GaveUp
}
