package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"syscall"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/rpcserver"
	"github.com/quorate/quorate/platform/secretfile"
)

// listen opens both ports, for as many connections as calls.connections and the system allow, with TLS unless t is nil.
func (c *Config) listen(ctx context.Context, t *tls.Config, logger *slog.Logger) (overHTTP, overGRPC net.Listener, err error) {
	most, level := c.Calls.connections(openFiles())
	if most < c.Calls.Connections {
		logger.Log(ctx, level, "calls.connections is lowered to half of the files that this process may open (ulimit -n)", slog.Int("connections", most))
	}
	limit := rpcserver.NewConnections(most, logger)
	if overHTTP, err = listen(ctx, "http.addr", c.HTTP.Addr); err != nil {
		return nil, nil, err
	}
	if overGRPC, err = listen(ctx, "grpc.addr", c.GRPC.Addr); err != nil {
		return nil, nil, errors.Join(err, overHTTP.Close())
	}
	overHTTP, overGRPC = limit.Limit(overHTTP), limit.Limit(overGRPC)
	if t != nil {
		overHTTP, overGRPC = tls.NewListener(overHTTP, t), tls.NewListener(overGRPC, t)
	}
	return overHTTP, overGRPC, nil
}

// listen opens a port.
func listen(ctx context.Context, field, addr string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fault.New(fault.FailedPrecondition, "PORT_IN_USE", "%s is in use by another program; stop it or choose another %s", addr, field)
	}
	if err != nil {
		return nil, invalid(field, "listen on %s: %w", addr, err)
	}
	return l, nil
}

// config returns the TLS configuration of the ports, or nil without a certificate. Every file must exist and be valid.
func (t *TLS) config(logger *slog.Logger) (*tls.Config, error) {
	if t.Cert == "" {
		return nil, nil
	}
	pair, err := secretfile.OpenKeyPair(t.Cert, t.Key, logger)
	if err != nil {
		return nil, invalid("tls.cert", "%w", err)
	}
	c := &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return pair.Certificate() },
	}
	if t.ClientCA == "" {
		return c, nil
	}
	if c.ClientCAs, err = secretfile.Authorities(t.ClientCA); err != nil {
		return nil, invalid("tls.clientCA", "read the authorities of clients: %w", err)
	}
	c.ClientAuth = tls.RequireAndVerifyClientCert
	return c, nil
}
