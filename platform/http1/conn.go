package http1

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/quorate/quorate/platform/telemetry"
)

// The states of a connection. Only its own goroutine makes it busy, and idle again; others may close it without loss only while it is idle.
const (
	idle int32 = iota
	busy
	closing
)

// conn is a connection whose requests are answered on one goroutine.
type conn struct {
	net.Conn
	server  *Server
	address string
	tls     *tls.ConnectionState // nil without TLS
	state   atomic.Int32
	in      input
	out     output
	request bytes.Reader // a complete request
	parsed  *bufio.Reader
}

func newConn(s *Server, accepted net.Conn) *conn {
	c := &conn{Conn: accepted, server: s, in: input{conn: accepted}, out: output{conn: accepted}}
	if address := accepted.RemoteAddr(); address != nil {
		c.address = address.String()
	}
	const buffer = 1 << 10 // small, because the whole request is in memory anyway
	c.parsed = bufio.NewReaderSize(&c.request, buffer)
	return c
}

// serve answers plain requests until there are no more, or returns the connection for net/http. A panic ends the connection and nothing else.
func (c *conn) serve(ctx context.Context) (rest net.Conn) {
	defer func() {
		if v := recover(); v != nil {
			c.recovered(ctx, v)
		}
	}()
	if with, ok := c.Conn.(*tls.Conn); ok {
		if ours, err := c.shakeHands(ctx, with); SaidNothing(with, err) {
			return nil
		} else if !ours {
			return with
		}
	}
	ctx = context.WithValue(ctx, http.LocalAddrContextKey, c.LocalAddr())
	for wait := c.server.opts.ReadHeaderTimeout; c.in.await(wait); wait = c.server.opts.IdleTimeout {
		r, size := c.read()
		if r == nil {
			return c.resume()
		}
		if !c.begin() || !c.answer(ctx, r) || !c.end() {
			return nil
		}
		c.in.drop(size, r.Method == http.MethodPost)
	}
	return nil
}

// shakeHands does the TLS handshake and reports whether HTTP/1.1 was negotiated. If not, net/http serves HTTP/2, or gets the same error and reports it.
func (c *conn) shakeHands(ctx context.Context, with *tls.Conn) (ours bool, err error) {
	_ = c.SetDeadline(time.Now().Add(c.server.opts.ReadHeaderTimeout)) // on a closed connection the next call fails
	if err := with.HandshakeContext(ctx); err != nil {
		return false, err
	}
	_ = c.SetDeadline(time.Time{})
	state := with.ConnectionState()
	c.tls = &state
	return state.NegotiatedProtocol == "" || state.NegotiatedProtocol == "http/1.1", nil
}

// SaidNothing reports whether a handshake failed because the caller left before it began, as kubelets and load balancers do that look every few seconds whether
// somebody listens. That is not worth a line in the log, where it would leave no room for those about others.
func SaidNothing(with *tls.Conn, err error) bool {
	left := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
	return left && with.ConnectionState().Version == 0 // which is known from the caller's first message on
}

// read returns the next request and its size, or nil if it is for net/http.
func (c *conn) read() (r *http.Request, size int) {
	size, ok := c.in.nextPlain()
	if !ok {
		return nil, 0
	}
	c.request.Reset(c.in.data[:size])
	c.parsed.Reset(&c.request)
	r, err := http.ReadRequest(c.parsed)
	if err != nil || r.ContentLength != int64(c.request.Len()+c.parsed.Buffered()) || len(r.TransferEncoding) > 0 || r.Close {
		return nil, 0
	}
	r.RemoteAddr, r.TLS = c.address, c.tls
	return r, size
}

// resume returns a connection that first yields the bytes that were already read. It has no deadlines.
func (c *conn) resume() net.Conn {
	_ = c.SetDeadline(time.Time{}) // net/http sets its own
	r := &resumed{c.Conn, c.in.data}
	if c.tls != nil {
		return &resumedTLS{r, *c.tls}
	}
	return r
}

// begin reports whether a request may be answered; it may not if the connection is being closed.
func (c *conn) begin() bool { return c.state.CompareAndSwap(idle, busy) }

// end reports whether the connection may take another request.
func (c *conn) end() bool {
	c.state.Store(idle)
	return !c.server.open.stopping.Load() // a stop after this finds the connection idle
}

// answer calls the handler and reports whether the connection can be used again.
func (c *conn) answer(ctx context.Context, r *http.Request) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watch := watchCaller(&c.in, cancel)
	defer watch.end()
	w, content := newAnswer(c, cancel), r.Body
	r = r.WithContext(ctx)
	c.server.opts.Handler.ServeHTTP(w, r)
	cancel()
	_ = content.Close() // a handler that continues to read gets an error
	if r.MultipartForm != nil {
		_ = r.MultipartForm.RemoveAll() // temporary files
	}
	return w.finish()
}

// recovered logs the panic that ends the connection, except http.ErrAbortHandler, with which a handler ends it on purpose.
func (c *conn) recovered(ctx context.Context, v any) {
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return
	}
	c.server.opts.Logger.ErrorContext(ctx, "http handler panicked", slog.String(telemetry.LogAddress, c.address),
		slog.Any(telemetry.LogError, fmt.Errorf("panic: %v", v)), slog.String(telemetry.LogStack, string(debug.Stack())))
}
