package browser

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// Limits of what one page may load.
const (
	maxMemory      = 1 << 30 // bytes, for each of its processes, on Linux
	maxConnections = 300
	maxTraffic     = 128 << 20 // bytes from the network
	headerTimeout  = 10 * time.Second
)

// proxy is the only way out for one Chromium.
type proxy struct {
	gate     webfetch.Gate
	listener net.Listener
	server   *http.Server
	client   *http.Transport // for plain HTTP
	ctx      context.Context //nolint:containedctx // ends every tunnel with the page; http.Server passes none to hijacked connections
	cancel   context.CancelFunc
	tunnels  sync.WaitGroup

	connections atomic.Int64
	traffic     atomic.Int64

	mu     sync.Mutex
	closed bool             // guarded by mu
	failed map[string]error // guarded by mu; why a connection could not be made, by its host:port
}

func startProxy(ctx context.Context, gate webfetch.Gate) (*proxy, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	p := &proxy{gate: gate, listener: listener, failed: make(map[string]error)}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.client = &http.Transport{DialContext: p.dial, MaxIdleConnsPerHost: 4, DisableCompression: true}
	p.server = &http.Server{
		Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: headerTimeout, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		BaseContext: func(net.Listener) context.Context { return p.ctx },
	}
	p.tunnels.Go(func() { _ = p.server.Serve(listener) }) // until close
	return p, nil
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

func (p *proxy) close() {
	p.mu.Lock()
	p.closed = true // nothing new starts, so that the wait below covers everything
	p.mu.Unlock()
	p.cancel()
	_ = p.server.Close() // nobody is left to talk to
	p.tunnels.Wait()
	p.client.CloseIdleConnections()
}

// failure returns why there was no connection for u, or nil when there was one. Chromium itself sees only that there was none.
func (p *proxy) failure(u *url.URL) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed[net.JoinHostPort(u.Hostname(), netguard.Port(u))]
}

// dial makes a connection that the gate admits, and counts what comes over it.
func (p *proxy) dial(ctx context.Context, _, addr string) (net.Conn, error) {
	if p.connections.Add(1) > maxConnections {
		return nil, fault.New(fault.ResourceExhausted, webfetch.ReasonRender, "the page opens more than %d connections", maxConnections)
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("read the address: %w", err)
	}
	conn, err := p.gate.Dial(ctx, host, port)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.failed[addr] = err
		return nil, err
	}
	return &counted{Conn: conn, proxy: p}, nil
}

// counted ends a page that loads too much.
type counted struct {
	net.Conn

	proxy *proxy
}

// Read implements net.Conn.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.proxy.traffic.Add(int64(n)) > maxTraffic {
		return 0, fault.New(fault.ResourceExhausted, webfetch.ReasonRender, "the page loads more than %d MiB", maxTraffic>>20)
	}
	return n, err
}

// begin counts a request in, unless the page is over.
func (p *proxy) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.tunnels.Add(1)
	}
	return !p.closed
}

func (p *proxy) serve(w http.ResponseWriter, r *http.Request) {
	if !p.begin() {
		return
	}
	defer p.tunnels.Done()
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	if !r.URL.IsAbs() || r.URL.Scheme != "http" {
		http.Error(w, "this is a proxy", http.StatusBadRequest)
		return
	}
	out := r.Clone(r.Context())
	out.RequestURI = ""
	for _, name := range []string{"Proxy-Connection", "Proxy-Authorization", "Connection", "Keep-Alive", "Te", "Trailer", "Upgrade"} {
		out.Header.Del(name)
	}
	resp, err := p.client.RoundTrip(out)
	if err != nil {
		hangUp(w)
		return
	}
	defer resp.Body.Close()
	for name, values := range resp.Header {
		if !strings.EqualFold(name, "Connection") && !strings.EqualFold(name, "Transfer-Encoding") {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body) // the browser notices that it broke off
}

// hangUp ends the browser's connection without an answer: any answer would be taken for one of the site.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close() // nothing was written
	}
}

// tunnel joins the browser's connection and one to where it wants to go.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	target, err := p.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		http.Error(w, "refused", http.StatusBadGateway)
		return
	}
	defer func() { _ = target.Close() }() // the copies below may have closed it
	browser, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the connection is gone
	}
	defer func() { _ = browser.Close() }()    // as the target
	stop := context.AfterFunc(p.ctx, func() { //nolint:contextcheck // the request ends before its tunnel does
		_ = target.Close() // both ends, so that both copies end
		_ = browser.Close()
	})
	defer stop()
	if _, err := io.WriteString(browser, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	var group sync.WaitGroup
	group.Go(func() {
		_, _ = io.Copy(target, buffered) // the other direction ends too
		_ = target.Close()
	})
	_, _ = io.Copy(browser, target)
	_ = browser.Close()
	group.Wait()
}
