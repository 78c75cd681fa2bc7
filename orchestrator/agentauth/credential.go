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

// Reasons of the faults of requests that were not sent, since they would have gone without their credential.
const (
	ReasonUnavailable = "AGENT_CREDENTIAL_UNAVAILABLE" // it may be there later
	ReasonUnfit       = "AGENT_CREDENTIAL_UNFIT"       // this binding cannot carry it
)

// The kinds, as entries name them.
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

// Credential is what one origin is shown. Methods of nil show nothing.
type Credential struct {
	origin origin
	kind   string
	scheme string // of the header Authorization (RFC 9110 §11), in lower case; empty for another place

	in, name string
	form     func(secret string) string // what is sent of a secret
	source   source                     // nil for mutual TLS

	tls *tls.Config  // of mutual TLS; nil otherwise
	own *http.Client // of mutual TLS to the agent, of OAuth 2.0 to the token endpoint; nil otherwise

	shown atomic.Pointer[auth.Secret] // what was sent last
}

// source is where a secret comes from.
type source interface {
	// secret returns the secret of now.
	secret(ctx context.Context) (auth.Secret, error)
	// refused says that what was sent since a time was not accepted, and reports whether a next try would send another secret.
	refused(sent time.Time) bool
}

// text returns what a request carries now.
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
		kept := secret // so that only what changes costs memory
		c.shown.Store(&kept)
	}
}

// sendable reports whether a text is visible ASCII.
func sendable(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// add adds to a request what it carries now.
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

// Metadata returns the key and the value that a gRPC call carries now; both are empty for none.
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

// Refused says that a call that was begun at a time was answered with 401 or the like. It reports whether a next one would carry another secret: what may
// be old by now is dropped.
func (c *Credential) Refused(begun time.Time) bool {
	return c != nil && c.source != nil && c.source.refused(begun)
}

// IsCertificate reports whether the credential is a client certificate, which a connection shows and not a request.
func (c *Credential) IsCertificate() bool { return c != nil && c.tls != nil }

// TLS returns what a connection needs to show a client certificate, for the caller to change; nil when there is none to show.
func (c *Credential) TLS() *tls.Config {
	if c == nil {
		return nil
	}
	return c.tls.Clone()
}

func unavailable(format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, ReasonUnavailable, format, args...)
}
