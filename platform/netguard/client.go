package netguard

import (
	"crypto/tls"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	maxIdle           = 256
	idleTimeout       = 90 * time.Second
	tlsTimeout        = 10 * time.Second
	maxResponseHeader = 256 << 10
)

// clientHeaders describe the client and contain no secrets, so they may be sent to another origin.
var clientHeaders = []string{"Accept", "Accept-Encoding", "Accept-Language", "User-Agent"}

// ClientOptions are the optional parts of Client.
type ClientOptions struct {
	Timeout        time.Duration // of a whole call with its body; 0 is none, as in http.Client, for streams that the context ends
	MaxRedirects   int           // 0 follows none: the caller gets the redirect response itself
	MaxIdlePerHost int           // connections kept for the next call; 0 means 2, as in http.Transport
	TLS            *tls.Config   // for servers that demand a certificate; nil is Go's default
}

// HTTP1 returns the protocols to speak to servers that are not trusted, which do not include HTTP/2: Go 1.26.8's client of it locks a mutex twice when a server's
// WINDOW_UPDATE makes the window of a stream overflow. Its call never returns then, whatever its time, and the next one to that server holds up those to all others.
func HTTP1() *http.Protocols {
	var only http.Protocols
	only.SetHTTP1(true)
	return &only
}

// Client returns an HTTP client that checks every URL, redirects included, with CheckURL and connects with DialContext. It speaks HTTP/1.1, uses no proxy, reads
// at most 256 KiB of response headers, and from the first redirect to another origin (scheme, host, port) on drops every header except those that describe the
// client itself. Close its idle connections when done.
func (p *Policy) Client(o ClientOptions) *http.Client {
	return &http.Client{
		Timeout: o.Timeout,
		Transport: &transport{policy: p, next: &http.Transport{
			Proxy:                  nil, // a proxy would dial for us, unseen by the guard
			DialContext:            p.DialContext,
			Protocols:              HTTP1(),
			TLSClientConfig:        o.TLS,
			TLSHandshakeTimeout:    tlsTimeout,
			MaxResponseHeaderBytes: maxResponseHeader,
			MaxIdleConns:           maxIdle,
			MaxIdleConnsPerHost:    o.MaxIdlePerHost,
			IdleConnTimeout:        idleTimeout,
		}},
		CheckRedirect: func(req *http.Request, via []*http.Request) error { return checkRedirect(req, via, o.MaxRedirects) },
	}
}

func checkRedirect(req *http.Request, via []*http.Request, limit int) error {
	if limit == 0 {
		return http.ErrUseLastResponse
	}
	if len(via) > limit {
		return fault.New(fault.FailedPrecondition, "TOO_MANY_REDIRECTS", "the server redirected more than %d times", limit)
	}
	if slices.ContainsFunc(via, func(before *http.Request) bool { return origin(before.URL) != origin(req.URL) }) {
		// net/http copies the headers of the first request for each redirect, not those of the last. It drops only Authorization and Cookie, and keeps even
		// those for another port of the same host.
		maps.DeleteFunc(req.Header, func(name string, _ []string) bool { return !slices.Contains(clientHeaders, name) })
	}
	return nil
}

func origin(u *url.URL) string {
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// transport checks each request's URL before it goes out.
type transport struct {
	policy *Policy
	next   *http.Transport
}

// RoundTrip sends req if the policy permits its URL.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.policy.CheckURL(req.URL); err != nil {
		if req.Body != nil {
			err = errors.Join(err, req.Body.Close()) // the contract of http.RoundTripper
		}
		return nil, err
	}
	return t.next.RoundTrip(req) // http.Client names the URL in its errors
}

// CloseIdleConnections closes the connections that wait for a next request.
func (t *transport) CloseIdleConnections() { t.next.CloseIdleConnections() }
