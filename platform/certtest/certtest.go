// Package certtest makes certificates for tests, of servers and clients on this machine.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Certificate is a certificate with its key, also as PEM. It is valid from an hour before to an hour after it was made.
type Certificate struct {
	Pair              tls.Certificate
	Cert, Key         []byte
	CertFile, KeyFile string // in a folder of the test; readable by the owner only

	key *ecdsa.PrivateKey
}

// NewAuthority makes a certificate authority.
func NewAuthority(t testing.TB) *Certificate {
	t.Helper()
	return sign(t, "authority", nil, time.Now().Add(-time.Hour))
}

// Issue makes a certificate for localhost and 127.0.0.1, signed by the authority, for a server or a client with the given name.
func (a *Certificate) Issue(t testing.TB, name string) *Certificate {
	t.Helper()
	return a.IssueFrom(t, name, time.Now().Add(-time.Hour))
}

// IssueFrom is Issue for a certificate that is not valid before from.
func (a *Certificate) IssueFrom(t testing.TB, name string, from time.Time) *Certificate {
	t.Helper()
	return sign(t, name, a, from)
}

// Pool returns a pool that contains only this authority.
func (a *Certificate) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Pair.Leaf)
	return pool
}

// sign makes a certificate signed by an authority or, if by is nil, an authority.
func sign(t testing.TB, name string, by *Certificate, from time.Time) *Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: from, NotAfter: time.Now().Add(60 * 24 * time.Hour), // so that nobody is warned yet
		BasicConstraintsValid: true,
	}
	parent, signer := template, key
	if by == nil {
		template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
	} else {
		parent, signer = by.Pair.Leaf, by.key
		template.DNSNames, template.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)}
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	must(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	dir := t.TempDir()
	c := &Certificate{
		Cert:     pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:      pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
		CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem"), key: key,
	}
	c.Pair, err = tls.X509KeyPair(c.Cert, c.Key)
	must(t, err)
	must(t, os.WriteFile(c.CertFile, c.Cert, 0o600))
	must(t, os.WriteFile(c.KeyFile, c.Key, 0o600))
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
