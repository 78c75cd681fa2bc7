package agentauth

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

// Reasons of faults for requests that were not sent because they would have gone without their credential.
const (
	ReasonUnavailable = "AGENT_CREDENTIAL_UNAVAILABLE" // it may be available later
	ReasonUnfit       = "AGENT_CREDENTIAL_UNFIT"       // the binding cannot carry it
)

// Kinds of credentials, as entries name them.
const (
	kindBearer    = "bearer"
	kindBasic     = "basic"
	kindAPIKey    = "apiKey"
	kindOAuth2    = "oauth2"
	kindMutualTLS = "mutualTLS"
)

// Where a request carries a credential.
const (
	inHeader = "header"
	inQuery  = "query"
	inCookie = "cookie"
)

// Credential is what is sent to one origin: a secret with each request, a client certificate with each connection, or both. A nil Credential sends nothing.
type Credential struct {
	origin origin
	kind   string // of the secret; empty when there is none
	scheme string // of the Authorization header (RFC 9110 §11), in lower case; empty for another place

	in, name string
	form     func(secret string) string // how the secret is encoded
	source   source                     // nil when there is no secret
	endpoint *http.Client               // for the token endpoint of OAuth 2.0; nil for others

	tls    *tls.Config  // for mutual TLS; nil otherwise
	client *http.Client // for mutual TLS, used for the agent; nil otherwise

	shown atomic.Pointer[auth.Secret] // what was sent last
}

// source is where a secret comes from.
type source interface {
	// secret returns the current secret.
	secret(ctx context.Context) (auth.Secret, error)
	// refused records that what was sent at a time was rejected, and reports whether the next attempt would send another secret.
	refused(sent time.Time) bool
}

// text returns the current value for requests.
func (c *Credential) text(ctx context.Context) (string, error) {
	secret, err := c.source.secret(ctx)
	if err != nil {
		return "", err
	}
	if !sendable(secret.Reveal()) {
		return "", unavailable("the secret for %s has characters that no header can hold", c.origin)
	}
	c.note(secret)
	return c.form(secret.Reveal()), nil
}

func (c *Credential) note(secret auth.Secret) {
	if last := c.shown.Load(); last == nil || *last != secret {
		kept := secret // a copy, so that memory is used only when it changes
		c.shown.Store(&kept)
	}
}

// sendable reports whether a text is visible ASCII.
func sendable(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// add adds the current value to a request.
func (c *Credential) add(req *http.Request) error {
	text, err := c.text(req.Context())
	if err != nil {
		return err
	}
	switch c.in {
	case inQuery:
		req.URL.RawQuery = strings.TrimPrefix(req.URL.RawQuery+"&"+url.QueryEscape(c.name)+"="+url.QueryEscape(text), "&")
	case inCookie:
		req.Header.Add("Cookie", c.name+"="+text)
	default:
		req.Header.Set(c.name, text)
	}
	return nil
}

// Metadata returns the key and the current value for a gRPC call; both are empty when there is none.
func (c *Credential) Metadata(ctx context.Context) (key, value string, err error) {
	if c == nil || c.source == nil {
		return "", "", nil
	}
	if c.in == inQuery {
		return "", "", fault.New(fault.FailedPrecondition, ReasonUnfit, "the credential for %s goes into a URL's query, which gRPC does not have", c.origin)
	}
	if value, err = c.text(ctx); err != nil {
		return "", "", err
	}
	if c.in == inCookie {
		return "cookie", c.name + "=" + value, nil
	}
	return strings.ToLower(c.name), value, nil
}

// Refused records that a call which began at begun was answered with 401 or the like. It drops what may be outdated, and reports whether the next
// call would carry another secret.
func (c *Credential) Refused(begun time.Time) bool {
	return c != nil && c.source != nil && c.source.refused(begun)
}

// HasCertificate reports whether the agent is shown a client certificate, which belongs to a connection, not to a request.
func (c *Credential) HasCertificate() bool { return c != nil && c.tls != nil }

// TLS returns a TLS configuration with the client certificate, which the caller may change, or nil when there is none.
func (c *Credential) TLS() *tls.Config {
	if c == nil {
		return nil
	}
	return c.tls.Clone()
}

// closeIdle closes the idle connections that are its own.
func (c *Credential) closeIdle() {
	for _, own := range []*http.Client{c.endpoint, c.client} {
		if own != nil {
			own.CloseIdleConnections()
		}
	}
}

// String returns what the credential consists of, in the words of the file.
func (c *Credential) String() string {
	switch {
	case c.tls == nil:
		return c.kind
	case c.source == nil:
		return kindMutualTLS
	default:
		return c.kind + " and " + kindMutualTLS
	}
}

func unavailable(format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, ReasonUnavailable, format, args...)
}
