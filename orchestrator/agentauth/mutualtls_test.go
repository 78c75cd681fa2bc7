package agentauth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// issue makes a certificate and its key; an authority signs it, or it is one.
func issue(t *testing.T, authority *tls.Certificate) (pair tls.Certificate, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "quorate"}, NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}, IsCA: authority == nil, BasicConstraintsValid: true,
	}
	parent, signer := template, any(key)
	if authority != nil {
		parent, signer = authority.Leaf, authority.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	if pair, err = tls.X509KeyPair(certPEM, keyPEM); err != nil {
		t.Fatal(err)
	}
	return pair, write(t, string(certPEM)), write(t, string(keyPEM))
}

func TestAnAgentThatWantsACertificateIsShownOne(t *testing.T) {
	t.Parallel()
	authority, caFile, _ := issue(t, nil)
	server, _, _ := issue(t, &authority)
	_, cert, key := issue(t, &authority)
	trusted := x509.NewCertPool()
	trusted.AddCert(authority.Leaf)
	shown := make(chan string, 1)
	a := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { shown <- r.TLS.PeerCertificates[0].Subject.CommonName }))
	a.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{server}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trusted}
	a.StartTLS()
	t.Cleanup(a.Close)

	c := open(t, fmt.Sprintf("credentials: [{origin: '%s', mutualTLS: {certFile: %s, keyFile: %s, caFile: %s}}]", a.URL, cert, key, caFile))
	if code, err := post(t.Context(), c, a.URL); err != nil || code != http.StatusOK {
		t.Fatalf("POST = %d, %v, want 200", code, err)
	}
	if got := <-shown; got != "quorate" {
		t.Errorf("the agent was shown the certificate of %q, want quorate's", got)
	}
	if _, err := post(t.Context(), nil, a.URL); err == nil {
		t.Error("POST without the entry = nil, want an error: the certificate is for its origin only")
	}
}
