package engine

import (
	"slices"

	"github.com/quorate/quorate/orchestrator"
)

// receiverOf checks the webhook in a reply and returns a function that adds it to the task in the same write as the reply. That function returns
// orchestrator.ErrUnchanged when there is no webhook, or the task has it already: clients send the same one with each message.
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

// sameReceiver reports whether both have the same URL and credentials.
func sameReceiver(x, y orchestrator.Webhook) bool {
	return x.URL == y.URL && x.Token == y.Token && x.Scheme == y.Scheme && x.Credentials == y.Credentials && x.GaveUp == y.GaveUp
}
