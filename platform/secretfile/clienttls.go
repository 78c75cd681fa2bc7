package secretfile

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
)

// ClientTLS returns the configuration for connections to a server that a client trusts for an authority in one file, and to which it shows a certificate of others,
// if asked. Without the first it trusts the authorities of the machine, and without the others, which belong together, it shows none. The certificate is read again
// when it changes, which is logged; a nil logger logs nothing.
func ClientTLS(authorities, cert, key string, logger *slog.Logger) (*tls.Config, error) {
	if (cert == "") != (key == "") {
		return nil, errors.New("a certificate and its key belong together")
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if authorities != "" {
		var err error
		if c.RootCAs, err = Authorities(authorities); err != nil {
			return nil, fmt.Errorf("the authorities to trust: %w", err)
		}
	}
	if cert != "" {
		pair, err := OpenKeyPair(cert, key, logger)
		if err != nil {
			return nil, err
		}
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return pair.Certificate() }
	}
	return c, nil
}
