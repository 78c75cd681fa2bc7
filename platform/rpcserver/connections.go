package rpcserver

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/quorate/quorate/platform/telemetry"
)

// DefaultMaxConnections is twice the default limit on open calls, so that one address may have as many connections as there may be calls. A connection takes
// 10 to 120 KB of memory before anybody knows whose it is.
const DefaultMaxConnections = 2 * DefaultMaxCalls

// Connections limits how many connections are open, and divides them among the addresses that they come from: an address may have as many as are still free.
type Connections struct {
	open   *callers
	logger *slog.Logger
	spare  *rate.Limiter // of lines in the log
}

// NewConnections returns a limit of most connections.
func NewConnections(most int, logger *slog.Logger) *Connections {
	return &Connections{newCallers(Limits{MaxCalls: most}), logger, rate.NewLimiter(rate.Every(time.Minute), 1)}
}

// Limit returns a listener that closes the connections beyond the limit as soon as it has accepted them. All listeners with one limit share it. It has to be
// put on the listener of the network, below TLS.
func (c *Connections) Limit(l net.Listener) net.Listener { return limitedListener{l, c} }

type limitedListener struct {
	net.Listener
	limit *Connections
}

// Accept returns the next connection that may stay open.
func (l limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := origin(conn.RemoteAddr())
		leave, err := l.limit.open.enter(caller{name: from})
		if err == nil {
			return &countedConn{Conn: conn, leave: sync.OnceFunc(leave)}, nil
		}
		_ = conn.Close() // nothing was sent
		if l.limit.spare.Allow() {
			l.limit.logger.WarnContext(context.Background(), "connections are closed because too many are open", slog.String(telemetry.LogAddress, from))
		}
	}
}

// countedConn is a connection that counts until it is closed.
type countedConn struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (c *countedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite closes the writing side, with which servers end answers to requests that they have not read to their end.
func (c *countedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
