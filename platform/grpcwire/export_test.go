package grpcwire

import (
	"io"
	"net"
	"time"

	"golang.org/x/net/http2"
)

// What fuzz targets and the conformance kit use.
var (
	PercentEncode = percentEncode
	PercentDecode = percentDecode
)

// Serve serves a connection, whatever it begins with, until it ends.
func (s *Server) Serve(conn net.Conn) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil || string(preface) != http2.ClientPreface {
		if c, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = c.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, conn) // or the client would see a reset
		_ = conn.Close()
		return
	}
	s.serve(conn)
}

// Timeouts are those that are written and those that are read of them.
func Timeouts(d time.Duration) (string, time.Duration, error) {
	s := formatTimeout(d)
	back, err := parseTimeout(s)
	return s, back, err
}
