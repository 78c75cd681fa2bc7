package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/quorate/quorate/orchestrator/doctor"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/fault"
)

func (c *Config) checkHTTP(ctx context.Context) doctor.Finding {
	if f, free := checkFree(ctx, "http.addr", c.HTTP.Addr); free || f.Status != doctor.OK {
		return f
	}
	if err := c.running(ctx); err != nil {
		return inUse("http.addr", c.HTTP.Addr, err)
	}
	return doctor.Found("%s is in use by a running Quorate", c.HTTP.Addr)
}

// running returns an error unless a Quorate with this configuration serves http.addr.
func (c *Config) running(ctx context.Context) error {
	if _, err := c.ask(ctx, "/healthz"); err != nil && !errors.Is(err, errReserved) {
		return err
	}
	if c.Store.Kind == KindEmbedded && !locked(server.LookEmbedded(c.Store.DataDir)) {
		return errors.New("a Quorate with another store.dataDir")
	}
	return nil
}

// checkGRPC takes a port in use as that of a running Quorate if one serves HTTP.
func (c *Config) checkGRPC(ctx context.Context) doctor.Finding {
	if f, free := checkFree(ctx, "grpc.addr", c.GRPC.Addr); free || f.Status != doctor.OK {
		return f
	}
	if err := c.running(ctx); err != nil {
		return inUse("grpc.addr", c.GRPC.Addr, fmt.Errorf("no Quorate of this configuration serves %s: %w", c.HTTP.Addr, err))
	}
	return doctor.Found("%s is in use, and a Quorate is running", c.GRPC.Addr)
}

// checkFree reports whether a server could listen on an address. An address in use is not free, but found in order.
func checkFree(ctx context.Context, field, addr string) (f doctor.Finding, free bool) {
	l, err := listen(ctx, field, addr)
	switch {
	case fault.ReasonOf(err) == "PORT_IN_USE":
		return doctor.Found("%s is in use", addr), false
	case err != nil:
		return doctor.Failed(err, "set "+field+" to an address of this machine, with a port that this user may use"), false
	}
	if err := l.Close(); err != nil {
		return doctor.Failed(err, ""), false
	}
	return doctor.Found("%s is free", addr), true
}

// errUnclear says that a server could not be recognized because of its certificate, which the check of tls tells more about.
var errUnclear = errors.New("who uses it cannot be found out without its certificate")

// errReserved says that a server has shown that it has our certificate, and does not answer those who have none of a client.
var errReserved = errors.New("it answers only with a client's certificate by tls.clientCA: see quorate doctor with --cert-file and --key-file")

func inUse(field, addr string, err error) doctor.Finding {
	if errors.Is(err, errUnclear) {
		return doctor.Warned("see what tls says; if it is another program, stop that", "%s is in use: %s", addr, err)
	}
	return doctor.Failed(fmt.Errorf("%s is in use by another program: %w", addr, err), "stop that program, or choose another "+field)
}

// checkReady asks a server that runs at http.addr whether it can work.
func (c *Config) checkReady(ctx context.Context) doctor.Finding {
	answer, err := c.ask(ctx, "/readyz")
	if err != nil {
		return notAsked(err)
	}
	f := answer.Ready()
	if f.Status != doctor.OK { // it may have lost the files by which it is known
		return f
	}
	if err := c.running(ctx); err != nil {
		return notAsked(err)
	}
	return f
}

func notAsked(err error) doctor.Finding {
	return doctor.Skipped("no server with this configuration can be asked: %s", err)
}

// ask asks the server at http.addr for its health.
func (c *Config) ask(ctx context.Context, path string) (*doctor.Health, error) {
	scheme, transport := "http", &http.Transport{}
	var known atomic.Bool
	if c.TLS.Cert != "" {
		protection, err := c.TLS.own(&known)
		if err != nil {
			return nil, err
		}
		scheme, transport.TLSClientConfig = "https", protection
	}
	defer transport.CloseIdleConnections()
	h, err := doctor.Ask(ctx, transport, scheme+"://"+c.HTTP.Addr+path, "localhost")                       // a host name that every server accepts
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" && c.TLS.ClientCA != "" { // ours may be no certificate of a client
		why := errUnclear
		if known.Load() {
			why = errReserved
		}
		err = fmt.Errorf("%w: %w", why, err)
	}
	return h, err
}

// own returns the TLS configuration of a client for the port of a running server: it trusts the configured certificate alone, whatever names that has, and shows it,
// too. It sets known when the server has that certificate.
func (t *TLS) own(known *atomic.Bool) (*tls.Config, error) {
	c, err := t.config(discard())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnclear, err)
	}
	pair, err := c.GetCertificate(nil)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*pair},
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection compares the certificate
		VerifyConnection: func(s tls.ConnectionState) error {
			if !bytes.Equal(s.PeerCertificates[0].Raw, pair.Leaf.Raw) {
				return fmt.Errorf("%w: it has another one than tls.cert", errUnclear)
			}
			known.Store(true)
			return nil
		},
	}, nil
}
