package netguard_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/quorate/quorate/platform/netguard"
)

// TestServersAreAskedOverHTTP1 has a server that speaks HTTP/2, too.
func TestServersAreAskedOverHTTP1(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	guard := &netguard.Policy{AllowLoopback: true}
	client := guard.Client(netguard.ClientOptions{TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}})
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatalf("Get() = %v, want no error", err)
	}
	defer func() { _ = response.Body.Close() }()
	if proto, err := io.ReadAll(response.Body); err != nil || string(proto) != "HTTP/1.1" {
		t.Errorf("the server was asked over %s, %v, want HTTP/1.1", proto, err)
	}
}
