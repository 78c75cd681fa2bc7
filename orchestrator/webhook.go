package orchestrator

import (
	"log/slog"
	"slices"
	"time"
)

// MaxWebhooks is how many receivers of push notifications a task has at most.
const MaxWebhooks = 10

// Webhook is a receiver of push notifications about a task. What it has to be told is an obligation that is stored with the event itself.
type Webhook struct {
	ID          string
	URL         string
	Token       Credential `json:",omitempty"` // given back to the receiver, so that it knows whom it hears
	Scheme      string     `json:",omitempty"` // of the Authorization header; empty: none is sent
	Credentials Credential `json:",omitempty"`
	CreateTime  time.Time
	Due         uint64    // the last event that it has to be told of
	Sent        uint64    // the last event that it has been told of, or that was there before it
	Tries       int       // since it was last reached
	NextDue     time.Time // nothing is sent before
	GaveUp      string    `json:",omitempty"` // why it is no longer told anything
}

// Unpaid reports whether the receiver still has to be told something.
func (w *Webhook) Unpaid() bool { return w.Due > w.Sent && w.GaveUp == "" }

// Unpaid reports whether any receiver still has to be told something.
func (t *Task) Unpaid() bool {
	return slices.ContainsFunc(t.Webhooks, func(w Webhook) bool { return w.Unpaid() })
}

// Settled reports whether nothing is left to do for the task: it has ended, and everybody who had to be told was told.
func (t *Task) Settled() bool { return t.Ended() && !t.Untold && !t.Unpaid() }

// KeptFrom returns from when on the time counts that a settled task is kept. What a step made is needed until the task that it is a step of has ended, which
// has the same deadline.
func (t *Task) KeptFrom() time.Time {
	if t.Parent != nil && !t.Carries() && t.Deadline.After(t.UpdateTime) {
		return t.Deadline
	}
	return t.UpdateTime
}

// Credential is a secret of a receiver. It prints as [redacted]; only stores write it out, as JSON.
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
