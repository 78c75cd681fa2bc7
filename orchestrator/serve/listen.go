package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"syscall"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/secretfile"
)

// listen opens a port, with TLS when t has a certificate.
func listen(ctx context.Context, field, addr string, t *tls.Config) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fault.New(fault.FailedPrecondition, "PORT_IN_USE", "%s is in use by another program; stop it or choose another %s", addr, field)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	if t != nil {
		l = tls.NewListener(l, t)
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
