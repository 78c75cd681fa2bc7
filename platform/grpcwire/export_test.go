package grpcwire

import (
	"io"
	"net"
	"time"

	"golang.org/x/net/http2"
)

// Exported for fuzz targets and the conformance test.
var (
	PercentEncode = percentEncode
	PercentDecode = percentDecode
)

// Serve serves a connection until it ends, whatever it begins with.
func (s *Server) Serve(conn net.Conn) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil || string(preface) != http2.ClientPreface {
		if c, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = c.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, conn) // otherwise the client would see a reset
		_ = conn.Close()
		return
	}
	s.serve(conn)
}

// Timeouts returns how a timeout is formatted, and the result of parsing that.
func Timeouts(d time.Duration) (string, time.Duration, error) {
	s := formatTimeout(d)
	back, err := parseTimeout(s)
	return s, back, err
}

// Kept returns the bytes of incomplete requests and of unsent messages of all connections.
func (s *Server) Kept() int { return s.held.Taken() + s.unsent.Taken() }

// HoldElsewhere counts all bytes of incomplete requests that there may be, of others, until free is called.
func (s *Server) HoldElsewhere() (free func()) {
	free, _ = s.held.Take("elsewhere", maxHeld)
	return free
}

// UseUp leaves the present connection with the id of one call.
func (c *Client) UseUp() {
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	c.link.nextID = lastUsable - 1
}
