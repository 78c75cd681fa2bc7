package serve_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/quorate/quorate/platform/certtest"
)

// certificate makes a certificate by an authority, or signed by itself if by is nil.
func certificate(t *testing.T, by *tls.Certificate, change func(c *x509.Certificate)) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "client"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true,
	}
	change(c)
	parent, signer := c, any(key)
	if by != nil {
		parent, signer = by.Leaf, by.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// TestOnlyValidCertificatesOfTheAuthorityOpenThePorts sends what both ports answer without a token, over all versions of TLS. Nothing but the handshake decides: a
// certificate needs no name.
func TestOnlyValidCertificatesOfTheAuthorityOpenThePorts(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	authority, stranger := certtest.NewAuthority(t), certtest.NewAuthority(t)
	own := authority.Issue(t, "quorate")
	c.TLS.ClientCA, c.TLS.Cert, c.TLS.Key = authority.CertFile, own.CertFile, own.KeyFile
	p := start(t, c)
	same := func(*x509.Certificate) {}
	client := certificate(t, &authority.Pair, same)
	for name, test := range map[string]struct {
		shown tls.Certificate
		opens bool
	}{
		"of the authority":        {client, true},
		"without any name":        {certificate(t, &authority.Pair, func(c *x509.Certificate) { c.Subject = pkix.Name{} }), true},
		"expired":                 {certificate(t, &authority.Pair, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), false},
		"not yet valid":           {certificate(t, &authority.Pair, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }), false},
		"for servers only":        {certificate(t, &authority.Pair, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }), false},
		"of another authority":    {certificate(t, &stranger.Pair, same), false},
		"signed by itself":        {certificate(t, nil, same), false},
		"by a client":             {certificate(t, &client, same), false},
		"with the key of another": {tls.Certificate{Certificate: client.Certificate, PrivateKey: certificate(t, nil, same).PrivateKey}, false},
		"no certificate":          {tls.Certificate{}, false},
	} {
		for port, said := range map[string]string{
			p.addr: "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
			p.grpc: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00", // with settings
		} {
			for _, version := range []uint16{tls.VersionTLS10, tls.VersionTLS11, tls.VersionTLS12, tls.VersionTLS13} {
				shown := test.shown
				answered := answers(t, port, said, &tls.Config{
					RootCAs: authority.Pool(), MinVersion: version, MaxVersion: version,
					GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &shown, nil },
				})
				if opens := test.opens && version >= tls.VersionTLS12; answered != opens {
					t.Errorf("%s: a client with a certificate %s is answered over %s: %t, want %t", port, name, tls.VersionName(version), answered, opens)
				}
			}
		}
	}
}

// TestBothPortsSpeakTLSToWhoHasNoCertificate calls as most clients do: gRPC needs that the server agrees to HTTP/2 in the handshake.
func TestBothPortsSpeakTLSToWhoHasNoCertificate(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	authority := certtest.NewAuthority(t)
	own := authority.Issue(t, "quorate")
	c.TLS.Cert, c.TLS.Key = own.CertFile, own.KeyFile
	p := start(t, c)
	trusting := &tls.Config{RootCAs: authority.Pool(), MinVersion: tls.VersionTLS12}
	for _, http2 := range []bool{false, true} {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: trusting.Clone(), ForceAttemptHTTP2: http2}}
		if code, body := call(t, client, "GET", "https://"+p.addr+"/v1/agents", admin, ""); code != http.StatusOK {
			t.Errorf("GET /v1/agents, with HTTP/2 if possible: %t, = %d %s, want 200", http2, code, body)
		}
		client.CloseIdleConnections()
	}
	conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(credentials.NewTLS(trusting)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if answer, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Errorf("Check() = %v, %v, want no error", answer, err)
	}
}

// answers reports whether a server answers something.
func answers(t *testing.T, addr, said string, c *tls.Config) bool {
	t.Helper()
	raw, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	if err := raw.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	c.ServerName = "127.0.0.1"
	conn := tls.Client(raw, c)
	if _, err := io.WriteString(conn, said); err != nil {
		return false
	}
	_, err = conn.Read(make([]byte, 1))
	return err == nil
}
