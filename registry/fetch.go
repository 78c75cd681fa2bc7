package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	wellKnownPath = "/.well-known/agent-card.json"
	fetchTimeout  = 5 * time.Second
)

// cardURL returns the URL that a card is read from: text itself or, when it has no path, the well-known path at its origin.
func cardURL(text string) (string, error) {
	u, err := parseURL(text)
	if err != nil {
		return "", fault.Invalid("card_uri", "CARD_URI_INVALID", "the card's URL cannot be used: %s", err.Error())
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = wellKnownPath
	}
	return u.String(), nil
}

// fetchCard reads the card at uri within 5 s and returns its bytes, at most MaxCardBytes.
func (r *Registry) fetchCard(ctx context.Context, uri string) ([]byte, error) {
	if r.client == nil {
		return nil, fault.New(fault.FailedPrecondition, "CARD_FETCH_DISABLED", "this server reads no cards by URL; send the card itself")
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, uri, http.NoBody)
	if err != nil {
		return nil, fault.Invalid("card_uri", "CARD_URI_INVALID", "the card's URL cannot be used: %s", err.Error())
	}
	request.Header.Set("Accept", "application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return nil, unreachable(uri, err)
	}
	defer func() { _ = response.Body.Close() }() // nothing is written, so nothing can be lost
	if response.StatusCode != http.StatusOK {
		return nil, fault.New(fault.FailedPrecondition, "CARD_UNREACHABLE", "%s answered %s, not a card", uri, response.Status).With("uri", uri)
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, MaxCardBytes+1))
	if err != nil {
		return nil, unreachable(uri, err)
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")) // many servers send a wrong type with a right card
	switch {
	case looksLikeHTML(raw), kind == "text/html":
		return nil, fault.Invalid("card_uri", "CARD_NOT_JSON", "%s answered HTML, not a card", uri)
	case len(raw) > MaxCardBytes:
		return nil, fault.Invalid("card_uri", "CARD_TOO_LARGE", "%s answered more than %d bytes", uri, MaxCardBytes)
	}
	return raw, nil
}

// unreachable explains why no answer came. A refusal of the guarded client explains itself.
func unreachable(uri string, err error) error {
	if refusal, ok := errors.AsType[*fault.Error](err); ok {
		return refusal
	}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err // the message names the URL already
	}
	why := err.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		why = fmt.Sprintf("no answer within %s", fetchTimeout)
	}
	return fault.New(fault.Unavailable, "CARD_UNREACHABLE", "the card at %s cannot be read: %s", uri, why).With("uri", uri)
}
