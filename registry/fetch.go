package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

const (
	wellKnownPath = "/.well-known/agent-card.json"
	olderPath     = "/.well-known/agent.json" // in A2A 0.2
	fetchTimeout  = 5 * time.Second
)

// cardVersion is the version of A2A in which cards are requested. A request without a version counts as one for 0.3 (A2A §3.6.2), which servers of both
// versions answer with a card of 0.3 or with an error.
const cardVersion = "1.0"

// cardURL returns the URL of a card: text itself or, when it has no path, the well-known path at that origin.
func cardURL(text string) (string, error) {
	u, err := agentcard.ParseURL(text)
	if err != nil {
		return "", fault.Invalid("card_uri", "CARD_URI_INVALID", "the card's URL cannot be used: %s", err.Error())
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = wellKnownPath
	}
	return u.String(), nil
}

// Validators are the headers by which a server recognizes its earlier answer; both may be empty.
type Validators struct{ ETag, LastModified string }

const maxValidator = 1 << 10 // bytes

// Fetched is the answer of a server that was asked for a card.
type Fetched struct {
	URI        string // the URL that was asked
	RawCard    []byte // nil when the card has not changed
	Validators Validators
	FreshFor   time.Duration // how long the answer is fresh according to the server; 0 when the server does not say

	missing bool // the server has nothing there
}

// FetchCard reads a card through the guarded client within 5 s; a card larger than agentcard.MaxBytes is an error. With known validators the server may
// answer that the card has not changed. A URL without a path stands for the well-known path at that origin. Where nothing is at a well-known path, the card is
// looked for at that of A2A 0.2, within another 5 s.
func (r *Registry) FetchCard(ctx context.Context, uri string, known Validators) (Fetched, error) {
	uri, err := cardURL(uri)
	if err != nil {
		return Fetched{}, err
	}
	answer, err := r.fetch(ctx, uri, known)
	if base, ok := strings.CutSuffix(uri, wellKnownPath); ok && answer.missing {
		if older, err := r.fetch(ctx, base+olderPath, known); err == nil {
			return older, nil
		}
	}
	return answer, err
}

// fetch does the work of FetchCard for a complete URL.
func (r *Registry) fetch(ctx context.Context, uri string, known Validators) (Fetched, error) {
	if r.client == nil {
		return Fetched{}, fault.New(fault.FailedPrecondition, "CARD_FETCH_DISABLED", "this server reads no cards by URL; send the card itself")
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, uri, http.NoBody)
	if err != nil {
		return Fetched{}, fault.Invalid("card_uri", "CARD_URI_INVALID", "the card's URL cannot be used: %s", err.Error())
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("A2A-Version", cardVersion)
	if known.ETag != "" {
		request.Header.Set("If-None-Match", known.ETag)
	} else if known.LastModified != "" {
		request.Header.Set("If-Modified-Since", known.LastModified)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return Fetched{}, unreachable(uri, err)
	}
	defer func() { _ = response.Body.Close() }() // nothing is written, so nothing can be lost
	answer := Fetched{URI: uri, Validators: known, FreshFor: freshFor(response.Header), missing: response.StatusCode == http.StatusNotFound}
	if response.StatusCode == http.StatusNotModified && known != (Validators{}) {
		return answer, nil
	}
	answer.Validators = Validators{short(response.Header, "ETag"), short(response.Header, "Last-Modified")}
	if err := r.checkAccess(uri, response); err != nil {
		return answer, err
	}
	answer.RawCard, err = readCard(uri, response)
	return answer, err
}

// checkAccess returns a fault when the server answered 401 or 403.
func (r *Registry) checkAccess(uri string, response *http.Response) error {
	if response.StatusCode != http.StatusUnauthorized && response.StatusCode != http.StatusForbidden {
		return nil
	}
	why := "it wants other credentials"
	if r.denied != nil {
		why = r.denied(response)
	}
	return fault.New(fault.FailedPrecondition, "CARD_DENIED", "%s answered HTTP %d, not a card: %s", uri, response.StatusCode, why).With("uri", uri)
}

func readCard(uri string, response *http.Response) ([]byte, error) {
	if response.StatusCode != http.StatusOK {
		hint := ""
		if !strings.Contains(uri, "/.well-known/") && !strings.Contains(uri, "?") { // it may be that of the agent itself
			hint = "; the card of an agent there is usually at " + strings.TrimSuffix(uri, "/") + wellKnownPath
		}
		return nil, fault.New(fault.FailedPrecondition, "CARD_UNREACHABLE", "%s answered %s, not a card%s", uri, response.Status, hint).With("uri", uri)
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, agentcard.MaxBytes+1))
	if err != nil {
		return nil, unreachable(uri, err)
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")) // many servers send a correct card with a wrong type
	switch {
	case agentcard.LooksLikeHTML(raw), kind == "text/html":
		return nil, fault.Invalid("card_uri", "CARD_NOT_JSON", "%s answered HTML, not a card", uri)
	case len(raw) > agentcard.MaxBytes:
		return nil, fault.Invalid("card_uri", "CARD_TOO_LARGE", "%s answered more than %d bytes", uri, agentcard.MaxBytes)
	}
	return raw, nil
}

// short returns the value of a header, or nothing when it is too long to keep.
func short(header http.Header, name string) string {
	if value := header.Get(name); len(value) <= maxValidator {
		return value
	}
	return ""
}

// freshFor returns the freshness lifetime by Cache-Control (RFC 9111, section 4.2.1) less the answer's age. It is 0 when the header does not say, and
// when the server wants to be asked each time.
func freshFor(header http.Header) time.Duration {
	var fresh time.Duration
	for directive := range strings.SplitSeq(strings.ToLower(strings.Join(header.Values("Cache-Control"), ",")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			fresh = deltaSeconds(value)
		}
	}
	return max(0, fresh-deltaSeconds(header.Get("Age")))
}

// deltaSeconds parses a number of seconds (RFC 9111, section 1.2.2) and returns at most those of 68 years, or 0 when it is none.
func deltaSeconds(text string) time.Duration {
	n, err := strconv.ParseUint(strings.Trim(text, `"`), 10, 31)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // of a number out of range, n is the largest
		return 0
	}
	return time.Duration(n) * time.Second
}

// unreachable explains why there was no answer. A refusal by the guarded client explains itself.
func unreachable(uri string, err error) error {
	inner, called := errors.AsType[*url.Error](err)
	if refusal, ok := errors.AsType[*fault.Error](err); ok {
		if called && origin(uri, inner.URL) != origin(uri, uri) { // a message about an address would make no sense for the one that was given
			return fault.New(refusal.Kind, refusal.Reason, "%s redirects to %s, and %s", uri, origin(uri, inner.URL), refusal.Message).With("uri", uri)
		}
		return refusal
	}
	what := "the card at " + uri
	if called {
		if origin(uri, inner.URL) != origin(uri, uri) {
			what += ", which redirects to " + origin(uri, inner.URL) + ","
		}
		err = inner.Err // the message has the URL already
	}
	why := err.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		why = fmt.Sprintf("no answer within %s", fetchTimeout)
	}
	return fault.New(fault.Unavailable, "CARD_UNREACHABLE", "%s cannot be read: %s", what, why).With("uri", uri)
}

// origin returns the scheme and host of a URL, which may be relative to a base: what is behind them may hold a secret.
func origin(base, text string) string {
	u, err := url.Parse(base)
	if err == nil {
		u, err = u.Parse(text)
	}
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
