package grpcwire

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// dialTimeout limits an attempt to connect. It does not depend on the deadline of a call, because several calls may wait for the same attempt.
const dialTimeout = 20 * time.Second

// Client makes calls to one address, over one connection at a time, which it opens when a call needs it.
//
// Errors of its calls are those of package status. Those that are not of the server can be told from its own: they are a ConnectError, ErrNotBegun, ErrCutOff or ErrTooLarge.
type Client struct {
	dial func(ctx context.Context) (net.Conn, error)
	url  *url.URL
	made time.Time

	calls atomic.Int64 // that are being made
	used  atomic.Int64 // ns from made to the end of the last call

	mu      sync.Mutex
	link    *clientConn   // guarded by mu; nil if there is none, or none that takes more calls
	links   []*clientConn // guarded by mu; link, and those before it that may still have calls
	dialing chan struct{} // guarded by mu; closed when the attempt to connect is over; nil if there is none
	failed  error         // guarded by mu; the error of the last attempt
	closed  bool          // guarded by mu
	over    chan struct{} // closed when the client is closed
}

// errNoSettings is worth another attempt: a server that is shutting down may end new connections like this.
var errNoSettings = errors.New("the server ended the connection before it said its settings")

// NewClient returns a client for the server that dial connects to, with TLS if the scheme of u is https; its calls have the scheme and the host of u. It does not
// connect yet.
func NewClient(dial func(ctx context.Context) (net.Conn, error), u *url.URL) *Client {
	return &Client{dial: dial, url: u, made: time.Now(), over: make(chan struct{})}
}

// Close ends all connections and calls; later calls fail.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		close(c.over)
	}
	c.closed = true
	for _, l := range c.links {
		l.close()
	}
}

// conn returns a connection that accepts calls, opening one if necessary.
func (c *Client) conn(ctx context.Context) (*clientConn, error) {
	for n := 0; ; n++ {
		l, dialing, err := c.usable(ctx, n)
		if l != nil || err != nil {
			return l, err
		}
		select {
		case <-dialing:
		case <-c.over:
		case <-ctx.Done():
			return nil, found(ErrNotBegun, status.FromContextError(ctx.Err()).Code(), "there is no connection yet")
		}
	}
}

// usable returns a connection that accepts calls or, if there is none, a channel that is closed when one has been opened or cannot be. It gives up after n such
// attempts when another one is no use.
func (c *Client) usable(ctx context.Context, n int) (l *clientConn, dialing <-chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, nil, found(ErrNotBegun, codes.Canceled, "the client is closed")
	case c.link != nil && c.link.acceptsCalls():
		return c.link, nil, nil
	case n > 0 && c.dialing == nil && c.failed != nil && (n >= maxAttempts || !errors.Is(c.failed, errNoSettings)):
		return nil, nil, &ConnectError{c.failed}
	case n >= maxAttempts:
		return nil, nil, &ConnectError{errNoSettings}
	}
	if c.dialing == nil {
		c.dialing, c.failed = make(chan struct{}), nil
		go c.connect(context.WithoutCancel(ctx), c.dialing)
	}
	return nil, c.dialing, nil
}

// connect opens a connection, and closes over when it is done.
func (c *Client) connect(ctx context.Context, over chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	l, err := c.handshake(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(over)
	c.dialing = nil
	switch {
	case err != nil:
		c.failed = err
	case c.closed:
		l.close()
	default:
		c.link = l
		c.links = append(slices.DeleteFunc(c.links, (*clientConn).isOver), l)
	}
}

// handshake returns a connection on which the server has sent its settings. A server that is shutting down sends none, and a call on its connection would be lost.
func (c *Client) handshake(ctx context.Context) (*clientConn, error) {
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	l := newClientConn(conn)
	select {
	case <-l.greeted:
		return l, nil
	case <-l.over:
		return nil, l.unsettled()
	case <-ctx.Done():
		l.close()
		return nil, ctx.Err()
	}
}

// Idle returns how long the client has had no calls.
func (c *Client) Idle() time.Duration {
	if c.calls.Load() > 0 {
		return 0
	}
	return time.Since(c.made) - time.Duration(c.used.Load())
}

// InLine returns how many calls wait for their turn, because the server takes no more at a time.
func (c *Client) InLine() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, l := range c.links {
		n += l.inLine()
	}
	return n
}

// begin counts a call until end is called.
func (c *Client) begin() (end func()) {
	c.calls.Add(1)
	return func() {
		c.used.Store(int64(time.Since(c.made)))
		c.calls.Add(-1)
	}
}
