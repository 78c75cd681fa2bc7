package webfetch

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/quorate/quorate/agents/webfetch/httpcache"
	"github.com/quorate/quorate/agents/webfetch/pace"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// Bounds of connections.
const (
	maxResponseHeader = 256 << 10
	maxIdle           = 256
	idleTimeout       = 90 * time.Second
	tlsTimeout        = 10 * time.Second
	maxRetryWait      = 2 * time.Second // a server that asks for more is not waited for
	maxRetryAfter     = time.Hour
	defaultRetries    = 2
)

// web sends requests: from the cache, else again when they fail safely, each at the site's pace, through the guard.
type web struct {
	network *http.Transport
	paced   *paced
	cached  http.RoundTripper // over all of it
	retried http.RoundTripper // without the cache
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
		Proxy:                  nil, // one from the environment would dial for us, unseen by the guard
		DialContext:            dial,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // bodies are decompressed here, within limits
		TLSHandshakeTimeout:    tlsTimeout,
		MaxResponseHeaderBytes: maxResponseHeader,
		MaxIdleConns:           maxIdle,
		IdleConnTimeout:        idleTimeout,
	}
	w := &web{network: network, paced: &paced{next: network, limiter: pace.New(o.Pace)}}
	retries := o.MaxRetries
	if retries == 0 {
		retries = defaultRetries
	}
	w.retried = &retrier{next: w.paced, most: max(retries, 0)}
	w.cached = httpcache.New(w.retried, o.Cache)
	return w, nil
}

func (w *web) close() { w.network.CloseIdleConnections() }

// paced waits for the request's turn at its site.
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

// releasing gives the turn back with the end of the body.
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

func busy(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryAfter returns how long the server asks to wait, at most an hour; 0 when it does not say.
func retryAfter(resp *http.Response) time.Duration {
	text := resp.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil || errors.Is(err, strconv.ErrRange) { // out of range it is the largest
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), maxRetryAfter)
	}
	return 0
}

// retrier sends a GET again that failed in a way that another try may mend, with growing waits between.
type retrier struct {
	next http.RoundTripper
	most int
}

// RoundTrip implements http.RoundTripper.
func (r *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = 100*time.Millisecond, maxRetryWait
	for try := 0; ; try++ {
		resp, err := r.next.RoundTrip(req)
		if try >= r.most || req.Method != http.MethodGet || req.Context().Err() != nil || !passing(resp, err) {
			return resp, err
		}
		wait := waits.NextBackOff()
		if err == nil {
			wait = max(wait, retryAfter(resp))
		}
		if deadline, ok := req.Context().Deadline(); wait > maxRetryWait || ok && time.Until(deadline) < 2*wait {
			return resp, err
		}
		if err == nil {
			_ = resp.Body.Close() // the next answer takes its place
		}
		if err := sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// passing tells whether the failure may pass.
func passing(resp *http.Response, err error) bool {
	if err == nil {
		return busy(resp.StatusCode)
	}
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return false
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsTemporary && !dns.IsNotFound
	}
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tunnel dials through the operator's proxy. The target is resolved and checked here and named to the proxy by its address, so
// that the proxy cannot be made to reach what the guard refuses.
type tunnel struct {
	policy *netguard.Policy
	proxy  *netguard.Policy // admits the proxy itself
	addr   string
	auth   string // header value; empty for none
}

func newTunnel(policy *netguard.Policy, proxy *url.URL) (*tunnel, error) {
	if proxy.Scheme != "http" || proxy.Port() == "" || proxy.Hostname() == "" || proxy.Path != "" && proxy.Path != "/" {
		return nil, fault.Invalid("proxy", ReasonRequestInvalid, "the proxy must look like http://host:port")
	}
	t := &tunnel{policy: policy, proxy: &netguard.Policy{AllowOrigins: []string{proxy.Host}, Resolver: policy.Resolver}, addr: proxy.Host}
	if proxy.User != nil {
		password, _ := proxy.User.Password()
		t.auth = "Basic " + base64.StdEncoding.EncodeToString([]byte(proxy.User.Username()+":"+password))
	}
	return t, nil
}

func (t *tunnel) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	targets, err := t.policy.Resolve(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	conn, err := t.proxy.DialContext(ctx, network, t.addr)
	if err != nil {
		return nil, fmt.Errorf("dial the proxy: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // the end of ctx ends the handshake
	err = t.connect(conn, targets[0].String())
	if !stop() || err != nil {
		return nil, errors.Join(err, context.Cause(ctx), conn.Close())
	}
	return conn, nil
}

// connect asks the proxy for a connection to target (RFC 9110 section 9.3.6).
func (t *tunnel) connect(conn net.Conn, target string) error {
	header := http.Header{}
	if t.auth != "" {
		header.Set("Proxy-Authorization", t.auth)
	}
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: header}
	if err := req.Write(conn); err != nil {
		return fmt.Errorf("ask the proxy: %w", err)
	}
	// Byte by byte: what follows the answer belongs to the target.
	resp, err := http.ReadResponse(bufio.NewReaderSize(oneByte{io.LimitReader(conn, maxResponseHeader)}, 1), req)
	if err != nil {
		return fmt.Errorf("read the proxy's answer: %w", err)
	}
	_ = resp.Body.Close() // it has none
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the proxy answered %d", resp.StatusCode)
	}
	return nil
}

type oneByte struct{ io.Reader }

// Read implements io.Reader.
func (o oneByte) Read(p []byte) (int, error) { return o.Reader.Read(p[:min(len(p), 1)]) }
