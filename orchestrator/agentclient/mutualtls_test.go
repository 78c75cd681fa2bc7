package agentclient_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/registry"
)

// ownCertificate makes a certificate that signs itself, for servers and clients on this machine.
func ownCertificate(t *testing.T) (pair tls.Certificate, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
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
	dir := t.TempDir()
	return pair, writeFile(t, filepath.Join(dir, "cert"), string(certPEM)), writeFile(t, filepath.Join(dir, "key"), string(keyPEM))
}

func TestAnAgentThatWantsACertificateIsShownOneOverEveryBinding(t *testing.T) {
	t.Parallel()
	pair, cert, key := ownCertificate(t)
	trusted := x509.NewCertPool()
	trusted.AddCert(pair.Leaf)
	demands := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trusted}

	h := httptest.NewUnstartedServer(open{})
	h.TLS, h.EnableHTTP2 = demands.Clone(), true
	h.StartTLS()
	t.Cleanup(h.Close)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(demands)))
	a2apb.RegisterA2AServiceServer(s, open{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)

	shows := fmt.Sprintf("mutualTLS: {certFile: %s, keyFile: %s, caFile: %s}}", cert, key, cert)
	file := writeFile(t, filepath.Join(t.TempDir(), "credentials.yaml"),
		"credentials: [{origin: 'https://"+l.Addr().String()+"', "+shows+", {origin: '"+h.URL+"', "+shows+"]")
	guard := &netguard.Policy{AllowLoopback: true}
	c, err := agentauth.Open(agentauth.Config{File: file, Policy: guard, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for credentials, want := range map[*agentauth.Credentials]string{c: "", nil: agentclient.ReasonUnreachable} {
		p := agentclient.NewPool(guard.DialContext, guard.Client(netguard.ClientOptions{}), credentials)
		t.Cleanup(func() { _ = p.Close() })
		for _, in := range []registry.Interface{
			{URL: "https://" + l.Addr().String(), Binding: agentclient.BindingGRPC}, {URL: h.URL, Binding: agentclient.BindingJSONRPC}, {URL: h.URL, Binding: agentclient.BindingREST},
		} {
			card := registry.Card{Interfaces: []registry.Interface{in}}
			if _, err := send(t, p, false, card); fault.ReasonOf(err) != want {
				t.Errorf("Send() over %s = %v, want the reason %q", in.Binding, err, want)
			}
			if err := pass(t, p, false, card); fault.ReasonOf(err) != want && in.Binding != agentclient.BindingREST {
				t.Errorf("a passage over %s = %v, want the reason %q", in.Binding, err, want)
			}
		}
	}
}
