package orchestrator

import (
	"log/slog"
	"slices"
	"time"
)

// MaxWebhooks is the maximum number of push notification receivers of a task.
const MaxWebhooks = 10

// Webhook is a receiver of push notifications about a task. What has to be sent to it is stored together with the event itself.
type Webhook struct {
	ID          string
	URL         string
	Token       Credential `json:",omitempty"` // sent back to the receiver, so that it can tell who is calling
	Scheme      string     `json:",omitempty"` // of the Authorization header; empty sends none
	Credentials Credential `json:",omitempty"`
	CreateTime  time.Time
	Due         uint64    // the last event that has to be sent
	Sent        uint64    // the last event that was sent, or that is older than the webhook
	Tries       int       // attempts since the receiver was last reached
	NextDue     time.Time // nothing is sent before this time
	GaveUp      string    `json:",omitempty"` // why nothing is sent any more
}

// PushDue reports whether something still has to be sent to the receiver.
func (w *Webhook) PushDue() bool { return w.Due > w.Sent && w.GaveUp == "" }

// PushDue reports whether something still has to be sent to any receiver.
func (t *Task) PushDue() bool {
	return slices.ContainsFunc(t.Webhooks, func(w Webhook) bool { return w.PushDue() })
}

// Settled reports whether nothing is left to do for the task: it has ended, and everybody who had to be notified was.
func (t *Task) Settled() bool { return t.Ended() && !t.Untold && !t.PushDue() }

// RetainedSince returns the time from which the retention of a settled task counts. The results of a step are needed until the task of the plan has
// ended, which has the same deadline.
func (t *Task) RetainedSince() time.Time {
	if t.IsStep() && t.Deadline.After(t.UpdateTime) {
		return t.Deadline
	}
	return t.UpdateTime
}

// Credential is a secret of a receiver. It prints as [redacted]; only stores write it in full, as JSON.
type Credential string

const redacted = "[redacted]"

// String hides the secret.
func (Credential) String() string { return redacted }

// GoString hides the secret.
func (Credential) GoString() string { return redacted }

// LogValue hides the secret.
func (Credential) LogValue() slog.Value { return slog.StringValue(redacted) }

// Reveal returns the secret.
func (c Credential) Reveal() string { return string(c) }
