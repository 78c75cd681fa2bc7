package netguard_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"golang.org/x/net/http2"

	"github.com/quorate/quorate/platform/netguard"
)

// TestLittleArrivesAheadOfTheReader has a server over HTTP/2 be told how much of a response it may send before somebody reads it.
func TestLittleArrivesAheadOfTheReader(t *testing.T) {
	t.Parallel()
	windows := make(chan uint32, 1)
	server := httptest.NewUnstartedServer(nil)
	server.TLS = &tls.Config{NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12}
	server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": func(_ *http.Server, c *tls.Conn, _ http.Handler) {
		defer close(windows)
		if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		f, err := http2.NewFramer(nil, c).ReadFrame()
		if s, ok := f.(*http2.SettingsFrame); ok && err == nil {
			w, _ := s.Value(http2.SettingInitialWindowSize)
			windows <- w
		}
	}}
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	guard := &netguard.Policy{AllowLoopback: true}
	client := guard.Client(netguard.ClientOptions{TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}})
	if resp, err := client.Get(server.URL); err == nil { //nolint:noctx // the server ends the connection
		_ = resp.Body.Close()
	}
	if w := <-windows; w != 64<<10 {
		t.Errorf("a server may send %d bytes that nobody reads, want 64 KiB", w)
	}
}
