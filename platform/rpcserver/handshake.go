package rpcserver

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"sync"

	"github.com/quorate/quorate/platform/http1"
	"github.com/quorate/quorate/platform/telemetry"
)

// tellingHandshakes returns a listener that logs why handshakes of TLS fail: gRPC does not, and an agent whose certificate is refused learns little itself.
func tellingHandshakes(l net.Listener, logger *slog.Logger) net.Listener {
	return handshakes{l, slog.New(telemetry.Limited(logger.Handler()))} // strangers decide how many fail
}

type handshakes struct {
	net.Listener
	logger *slog.Logger
}

// Accept returns the next connection.
func (h handshakes) Accept() (net.Conn, error) {
	conn, err := h.Listener.Accept()
	if with, ok := conn.(*tls.Conn); ok {
		return &shaking{Conn: with, logger: h.logger}, err
	}
	return conn, err
}

// shaking is a connection with TLS that logs, once, why its handshake fails.
type shaking struct {
	*tls.Conn
	logger *slog.Logger
	tell   sync.Once
}

// Read reads after the handshake.
func (s *shaking) Read(b []byte) (int, error) {
	if err := s.Handshake(); err != nil {
		return 0, err
	}
	return s.Conn.Read(b)
}

// Write writes after the handshake.
func (s *shaking) Write(b []byte) (int, error) {
	if err := s.Handshake(); err != nil {
		return 0, err
	}
	return s.Conn.Write(b)
}

// Handshake does the handshake, if that was not done. It takes no context, because reading and writing have none: their deadlines hold.
func (s *shaking) Handshake() error {
	err := s.Conn.Handshake() //nolint:noctx // see above
	if err != nil && !http1.SaidNothing(s.Conn, err) {
		s.tell.Do(func() {
			s.logger.WarnContext(context.Background(), "gRPC: a TLS handshake failed", slog.String(telemetry.LogAddress, s.RemoteAddr().String()), slog.Any(telemetry.LogError, err))
		})
	}
	return err
}
