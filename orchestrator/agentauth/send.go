package agentauth

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxDrain is how much of an answer that is thrown away is read, in bytes, to keep its connection.
const maxDrain = 4 << 10

// transport shows credentials to whom they are for.
type transport struct {
	credentials *Credentials
	next        http.RoundTripper
}

// RoundTrip sends a request, with a credential if there is one for its URL.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	c := t.credentials.For(req.URL)
	if c == nil || redirected(req) {
		return t.next.RoundTrip(req)
	}
	if c.tls != nil {
		return c.own.Transport.RoundTrip(req)
	}
	return c.Send(req, t.next.RoundTrip)
}

// CloseIdleConnections closes the connections that wait for a next request.
func (t *transport) CloseIdleConnections() {
	if closer, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// redirected reports whether another origin led here: it must not choose what is done with a credential.
func redirected(req *http.Request) bool {
	for r := req; r.Response != nil && r.Response.Request != nil; r = r.Response.Request {
		if from := r.Response.Request.URL; from.Scheme != req.URL.Scheme || !strings.EqualFold(from.Host, req.URL.Host) {
			return true
		}
	}
	return false
}

// Send sends a copy of a request that carries the credential, to its origin; it has one of the kinds that a request can carry. An agent that answers 401
// has not taken the request: it is sent once more if another secret is there by then.
func (c *Credential) Send(req *http.Request, send func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	resp, sent, err := c.once(req, send)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || req.Body != nil && req.GetBody == nil || !c.source.refused(sent) {
		return resp, err
	}
	again := req.WithContext(req.Context())
	if req.Body != nil && req.Body != http.NoBody {
		if again.Body, err = req.GetBody(); err != nil {
			return resp, nil //nolint:nilerr // the answer that is there is what the agent said
		}
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxDrain)
	_ = resp.Body.Close() // what was read was read
	resp, _, err = c.once(again, send)
	return resp, err
}

// once sends a request, and says when that was: the secret that it carries was there by then.
func (c *Credential) once(req *http.Request, send func(*http.Request) (*http.Response, error)) (resp *http.Response, sent time.Time, err error) {
	carries := req.Clone(req.Context())
	if err := c.add(carries); err != nil {
		if req.Body != nil {
			err = errors.Join(err, req.Body.Close()) // the contract of http.RoundTripper
		}
		return nil, sent, err
	}
	sent = time.Now()
	if resp, err = send(carries); err != nil {
		return nil, sent, err
	}
	resp.Request = req // who reads it must not meet the secret
	return resp, sent, nil
}
