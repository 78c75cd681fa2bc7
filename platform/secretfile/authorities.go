package secretfile

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"github.com/quorate/quorate/platform/bounded"
)

// maxAuthorities is the largest file of authorities, in bytes. That of a whole operating system has a quarter of it.
const maxAuthorities = 1 << 20

// Authorities reads a regular file of trusted certificates (PEM). One that has more than 1 MiB, no certificate, or a block that is not a certificate, is an error.
func Authorities(file string) (*x509.CertPool, error) {
	content, err := bounded.RegularFile(file, maxAuthorities)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	found := 0
	for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
		if found++; block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("%s: block %d is not a certificate but a %s", file, found, block.Type)
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: block %d: %w", file, found, err)
		}
		pool.AddCert(c)
	}
	if found == 0 {
		return nil, fmt.Errorf("%s has no certificate", file)
	}
	return pool, nil
}
