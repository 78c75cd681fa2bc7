package webfetch

import (
	"io"
	"net/http"
	"time"

	"github.com/quorate/quorate/agents/webfetch/httpcache"
	"github.com/quorate/quorate/agents/webfetch/pace"
	"github.com/quorate/quorate/platform/netguard"
)

// Limits of connections.
const (
	maxResponseHeader = 256 << 10
	maxIdle           = 256
	idleTimeout       = 90 * time.Second
	tlsTimeout        = 10 * time.Second
)

// web sends requests: from the cache if possible, otherwise with retries, at the site's pace and through the guard.
type web struct {
	network *http.Transport
	paced   *paced
	cached  http.RoundTripper // the complete stack
	retried http.RoundTripper // the stack without the cache
}

func newWeb(policy *netguard.Policy, o Options) (*web, error) {
	dial := policy.DialContext
	if o.Proxy != nil {
		tunnel, err := newTunnel(policy, o.Proxy)
		if err != nil {
			return nil, err
		}
		dial = tunnel.dial
	}
	network := &http.Transport{
		Proxy:                  nil, // a proxy from the environment would bypass the guard
		DialContext:            dial,
		Protocols:              netguard.HTTP1(),
		DisableCompression:     true, // bodies are decompressed here, within limits
		TLSHandshakeTimeout:    tlsTimeout,
		MaxResponseHeaderBytes: maxResponseHeader,
		MaxIdleConns:           maxIdle,
		IdleConnTimeout:        idleTimeout,
	}
	w := &web{network: network, paced: &paced{next: network, limiter: pace.New(o.Pace)}}
	w.retried = &retrier{next: w.paced}
	w.cached = httpcache.New(w.retried, httpcache.Options{})
	return w, nil
}

func (w *web) close() { w.network.CloseIdleConnections() }

// paced waits for the site's turn before each request.
type paced struct {
	next    http.RoundTripper
	limiter *pace.Limiter
}

// RoundTrip implements http.RoundTripper.
func (p *paced) RoundTrip(req *http.Request) (*http.Response, error) {
	host := req.URL.Hostname()
	done, err := p.limiter.Wait(req.Context(), host)
	if err != nil {
		return nil, err
	}
	resp, err := p.next.RoundTrip(req)
	if err != nil {
		done()
		return nil, err
	}
	if wait := retryAfter(resp); wait > 0 && busy(resp.StatusCode) {
		p.limiter.Defer(host, min(wait, time.Minute))
	}
	resp.Body = &releasing{ReadCloser: resp.Body, release: done}
	return resp, nil
}

// releasing ends the turn when the body is closed.
type releasing struct {
	io.ReadCloser

	release func()
}

// Close implements io.Closer.
func (r *releasing) Close() error {
	if r.release != nil {
		r.release()
		r.release = nil
	}
	return r.ReadCloser.Close()
}
