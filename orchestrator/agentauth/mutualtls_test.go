package agentauth_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/certtest"
)

func TestAnAgentThatWantsACertificateIsShownOne(t *testing.T) {
	t.Parallel()
	authority := certtest.NewAuthority(t)
	own := authority.Issue(t, "quorate")
	shown := make(chan string, 1)
	a := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { shown <- r.TLS.PeerCertificates[0].Subject.CommonName }))
	a.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Issue(t, "agent").Pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool()}
	a.StartTLS()
	t.Cleanup(a.Close)

	c := open(t, fmt.Sprintf("credentials: [{origin: '%s', mutualTLS: {certFile: %s, keyFile: %s, caFile: %s}}]", a.URL, own.CertFile, own.KeyFile, authority.CertFile))
	if code, err := post(t.Context(), c, a.URL); err != nil || code != http.StatusOK {
		t.Fatalf("POST = %d, %v, want 200", code, err)
	}
	if got := <-shown; got != "quorate" {
		t.Errorf("the agent was shown the certificate of %q, want quorate's", got)
	}
	if _, err := post(t.Context(), nil, a.URL); err == nil {
		t.Error("POST without the entry = nil, want an error: the certificate is for its origin only")
	}
	_, err := tryOpen(t, fmt.Sprintf("credentials: [{origin: '%s', mutualTLS: {certFile: %s, keyFile: %s, caFile: /nowhere}}]", a.URL, own.CertFile, own.KeyFile))
	if err == nil || !strings.Contains(err.Error(), "mutualTLS.caFile") {
		t.Errorf("Open() with authorities that cannot be read = %v, want it refused", err)
	}
	_, err = tryOpen(t, fmt.Sprintf("credentials: [{origin: 'http://127.0.0.1', mutualTLS: {certFile: %s, keyFile: %s}}]", own.CertFile, own.KeyFile))
	if err == nil || !strings.Contains(err.Error(), "origin: mutualTLS is for https") {
		t.Errorf("Open() of a certificate for http = %v, want it refused", err)
	}
}
