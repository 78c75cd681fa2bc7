package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// listen opens a door, with TLS when t has a certificate.
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

// config returns the TLS of the doors; nil without a certificate. Every file must be there and make sense.
func (t *TLS) config() (*tls.Config, error) {
	if t.Cert == "" {
		return nil, nil
	}
	pair := &keyPair{cert: t.Cert, key: t.Key}
	if _, err := pair.get(nil); err != nil {
		return nil, err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: pair.get}
	if t.ClientCA == "" {
		return c, nil
	}
	pem, err := os.ReadFile(t.ClientCA)
	if err != nil {
		return nil, fmt.Errorf("read the authorities of clients: %w", err)
	}
	c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !c.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, invalid("tls.clientCA", "%s has no certificate", t.ClientCA)
	}
	return c, nil
}

// checkEvery is how often files that may change are looked at.
const checkEvery = 10 * time.Second

// keyPair is a certificate in files, which are read again when the first of them changes: certificates are renewed while we run.
type keyPair struct {
	cert, key string

	mu      sync.Mutex
	pair    *tls.Certificate // guarded by mu
	changed time.Time        // guarded by mu; when the file was changed that pair is from
	checked time.Time        // guarded by mu
}

// get returns the certificate. One that cannot be read again is no reason to stop with the one that was.
func (k *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pair != nil && time.Since(k.checked) < checkEvery {
		return k.pair, nil
	}
	k.checked = time.Now()
	info, err := os.Stat(k.cert)
	if err == nil && k.pair != nil && info.ModTime().Equal(k.changed) {
		return k.pair, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.LoadX509KeyPair(k.cert, k.key)
	}
	switch {
	case err == nil:
		k.pair, k.changed = &pair, info.ModTime()
	case k.pair == nil:
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	return k.pair, nil
}
