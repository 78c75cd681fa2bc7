package agentauth

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// maxDrain is how many bytes of a discarded answer are read to keep its connection.
const maxDrain = 4 << 10

// transport adds credentials to the requests that they are for.
type transport struct {
	credentials *Credentials
	next        http.RoundTripper
}

// RoundTrip sends a request, with the credential for its URL if there is one.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.send(req)
	if WantsCertificate(err) {
		err = fmt.Errorf("%w (%s)", err, t.credentials.Denied(&http.Response{Request: req}))
	}
	return resp, err
}

// WantsCertificate reports whether an error says that a server has refused the client certificate that it was shown, or that it was shown none.
func WantsCertificate(err error) bool {
	alert, ok := errors.AsType[*net.OpError](err)
	return ok && alert.Op == "remote error" && strings.Contains(alert.Err.Error(), "certificate") // crypto/tls does not export its alerts
}

func (t *transport) send(req *http.Request) (*http.Response, error) {
	c := t.credentials.For(req.URL)
	if c == nil || redirected(req) {
		return t.next.RoundTrip(req)
	}
	next := t.next
	if c.HasCertificate() {
		next = c.client.Transport
	}
	if c.source == nil {
		return next.RoundTrip(req)
	}
	return c.Send(req, next.RoundTrip)
}

// CloseIdleConnections closes idle connections.
func (t *transport) CloseIdleConnections() {
	if closer, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// redirected reports whether another origin redirected here; it must not decide what a credential is used for.
func redirected(req *http.Request) bool {
	for r := req; r.Response != nil && r.Response.Request != nil; r = r.Response.Request {
		if from := r.Response.Request.URL; from.Scheme != req.URL.Scheme || !strings.EqualFold(from.Host, req.URL.Host) {
			return true
		}
	}
	return false
}

// Send sends a copy of a request with the credential, which must have a secret. If the agent answers 401, it has not accepted the
// request, which is sent once more if there is another secret by then.
func (c *Credential) Send(req *http.Request, send func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	resp, sent, err := c.once(req, send)
	bare := req.Body == nil || req.Body == http.NoBody
	if err != nil || resp.StatusCode != http.StatusUnauthorized || !bare && req.GetBody == nil || !c.source.refused(sent) {
		return resp, err
	}
	again := req.WithContext(req.Context())
	if !bare {
		if again.Body, err = req.GetBody(); err != nil {
			return resp, nil //nolint:nilerr // the agent's answer stands
		}
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxDrain)
	_ = resp.Body.Close() // what was read was read
	resp, _, err = c.once(again, send)
	return resp, err
}

// once sends a request, and returns when it did: the secret in it was obtained before.
func (c *Credential) once(req *http.Request, send func(*http.Request) (*http.Response, error)) (resp *http.Response, sent time.Time, err error) {
	carries := req.Clone(req.Context())
	if err := c.add(carries); err != nil {
		if req.Body != nil {
			err = errors.Join(err, req.Body.Close()) // as http.RoundTripper demands
		}
		return nil, sent, err
	}
	sent = time.Now()
	if resp, err = send(carries); err != nil {
		return nil, sent, err
	}
	resp.Request = req // readers of the answer must not see the secret
	return resp, sent, nil
}
