package secretfile

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"regexp"

	"github.com/quorate/quorate/platform/bounded"
)

// maxAuthorities is the largest file of authorities, in bytes. That of a whole operating system has a quarter of it.
const maxAuthorities = 1 << 20

// begin matches the lines in which a block begins, also those that pem.Decode does not take for one, because something is before it in the line.
var begin = regexp.MustCompile(`(?m)^[^#\n]*-----BEGIN `)

// Authorities reads a regular file of trusted certificates (PEM). One that has more than 1 MiB, no certificate, or a block that is damaged or not a certificate,
// is an error.
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
	switch begun := len(begin.FindAllIndex(content, -1)); {
	case begun > found: // pem.Decode skips what it cannot decode
		return nil, fmt.Errorf("%s: %d of %d blocks are damaged; each begins and ends with a line of its own", file, begun-found, begun)
	case found == 0:
		return nil, fmt.Errorf("%s has no certificate", file)
	}
	return pool, nil
}
