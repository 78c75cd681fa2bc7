package http1

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
)

// fallbackListener is the listener from which net/http accepts the connections that are for it, and gets the errors of the real listener.
type fallbackListener struct {
	listener net.Listener
	arrivals chan arrival
	closed   chan struct{}
	close    sync.Once
}

// arrival is what Accept returns.
type arrival struct {
	conn net.Conn
	err  error
}

func newFallbackListener(l net.Listener) *fallbackListener {
	return &fallbackListener{listener: l, arrivals: make(chan arrival), closed: make(chan struct{})}
}

// pass hands a connection or an error to net/http, and reports whether net/http took it.
func (d *fallbackListener) pass(c net.Conn, err error) bool {
	select {
	case d.arrivals <- arrival{c, err}:
		return true
	case <-d.closed:
		return false
	}
}

// Accept returns the next connection for net/http.
func (d *fallbackListener) Accept() (net.Conn, error) {
	select {
	case a := <-d.arrivals:
		return a.conn, a.err
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

// Close closes the listener.
func (d *fallbackListener) Close() error {
	d.close.Do(func() { close(d.closed) })
	return d.listener.Close()
}

// Addr returns the address of the listener.
func (d *fallbackListener) Addr() net.Addr { return d.listener.Addr() }

// resumed is a connection of which some bytes were already read.
type resumed struct {
	net.Conn
	ahead []byte // read, and not yet seen by net/http
}

// Read returns the bytes that were already read, and then reads from the connection.
func (r *resumed) Read(p []byte) (int, error) {
	if len(r.ahead) == 0 {
		return r.Conn.Read(p)
	}
	n := copy(p, r.ahead)
	if r.ahead = r.ahead[n:]; len(r.ahead) == 0 {
		r.ahead = nil // frees the buffer, which may be large
	}
	return n, nil
}

// CloseWrite lets net/http end a response while the caller is still sending.
func (r *resumed) CloseWrite() error {
	if c, ok := r.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return errors.ErrUnsupported
}

// resumedTLS tells net/http that the connection has TLS.
type resumedTLS struct {
	*resumed
	state tls.ConnectionState
}

// ConnectionState returns the result of the TLS handshake.
func (r *resumedTLS) ConnectionState() tls.ConnectionState { return r.state }
