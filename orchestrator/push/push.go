package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/pause"
)

const (
	timeout       = 15 * time.Second
	maxURL        = 2048
	maxSecret     = 4096
	maxID         = 128
	maxRetryAfter = 10 * time.Minute
	maxAnswer     = 64 << 10 // read so that the connection can be reused
	maxReason     = 1 << 10  // bytes
)

// Render returns the notification about an event as JSON.
type Render func(t *orchestrator.Task, e orchestrator.Event) ([]byte, error)

// Sender sends push notifications.
type Sender struct {
	policy *netguard.Policy
	client *http.Client
	render Render
}

// New returns a sender that connects only to addresses that policy allows.
func New(policy *netguard.Policy, render Render) *Sender {
	return &Sender{policy: policy, client: policy.Client(netguard.ClientOptions{Timeout: timeout, MaxIdlePerHost: 4}), render: render}
}

// Check refuses a receiver that could never be reached.
func (s *Sender) Check(w orchestrator.Webhook) error {
	u, err := url.Parse(w.URL)
	if err != nil || len(w.URL) > maxURL {
		return fault.Invalid("url", "URL_INVALID", "the receiver's URL is not one, or longer than %d bytes", maxURL)
	}
	if err := s.policy.CheckURL(u); err != nil {
		return err
	}
	for _, part := range []struct {
		field, text string
		limit       int
	}{
		{"id", w.ID, maxID},
		{"token", w.Token.Reveal(), maxSecret},
		{"authentication.scheme", w.Scheme, maxID},
		{"authentication.credentials", w.Credentials.Reveal(), maxSecret},
	} {
		if len(part.text) > part.limit {
			return fault.Invalid(part.field, "PUSH_CONFIG_TOO_LARGE", "%s has %d bytes; at most %d are allowed", part.field, len(part.text), part.limit)
		}
		if strings.ContainsFunc(part.text, func(c rune) bool { return c < ' ' || c > '~' }) {
			return fault.Invalid(part.field, "PUSH_CONFIG_INVALID", "%s has characters that a header cannot carry", part.field)
		}
	}
	if !isScheme(w.Scheme) || w.Scheme == "" && w.Credentials != "" { // the credentials would not be sent, or as something else
		return fault.Invalid("authentication.scheme", "PUSH_CONFIG_INVALID", "the scheme %q is not one of HTTP, such as Bearer", w.Scheme)
	}
	return nil
}

// isScheme reports whether s, which a header can carry, has nothing but what the name of a scheme has (RFC 9110 §5.6.2).
func isScheme(s string) bool { return !strings.ContainsAny(s, " \"(),/:;<=>?@[\\]{}") }

// Send notifies a receiver of one event of a task. An Unavailable fault means that it may be tried again, after the fault's RetryAfter; after any
// other fault that is useless.
func (s *Sender) Send(ctx context.Context, w orchestrator.Webhook, t *orchestrator.Task, e orchestrator.Event) error {
	body, err := s.render(t, e)
	if err != nil {
		return fmt.Errorf("render event %d of task %s: %w", e.Sequence, t.ID, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return fault.Invalid("url", "URL_INVALID", "the receiver's URL is not one")
	}
	h := req.Header
	h.Set("Content-Type", "application/a2a+json")
	h.Set("A2A-Version", "1.0")
	h.Set("Quorate-Event-Id", t.ID+"/"+strconv.FormatUint(e.Sequence, 10))
	if w.Token != "" { // a2a-go reads the first header, A2A 0.3 and the interoperability kit the second
		h.Set("A2A-Notification-Token", w.Token.Reveal())
		h.Set("X-A2A-Notification-Token", w.Token.Reveal())
	}
	if w.Credentials != "" {
		h.Set("Authorization", w.Scheme+" "+w.Credentials.Reveal())
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return unreached(ctx, req.URL.Host, err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer) // the content does not matter
	return judge(resp)
}

func unreached(ctx context.Context, host string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Unavailable { // the guard's refusal
		return f
	}
	return fault.New(fault.Unavailable, "RECEIVER_UNREACHABLE", "the receiver at %s could not be reached: %s", host, reason(err))
}

// reason returns the reason without the URL, which may contain a secret. It is short, though some errors quote all that the receiver sent.
func reason(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), maxReason)], "")
}

func judge(resp *http.Response) error {
	switch {
	case resp.StatusCode >= http.StatusOK && resp.StatusCode < http.StatusMultipleChoices:
		return nil
	case resp.StatusCode == http.StatusGone:
		return fault.New(fault.FailedPrecondition, "RECEIVER_GONE", "the receiver is gone (HTTP 410)")
	}
	f := fault.New(fault.Unavailable, "RECEIVER_REFUSED", "the receiver answered HTTP %d", resp.StatusCode)
	f.RetryAfter = pause.Asked(resp.Header, maxRetryAfter)
	return f
}
