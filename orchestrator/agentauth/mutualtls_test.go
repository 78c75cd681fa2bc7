package agentauth_test

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/platform/netguard"
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
	if err == nil || !strings.Contains(err.Error(), "mutualTLS: the authorities to trust") {
		t.Errorf("Open() with authorities that cannot be read = %v, want it refused", err)
	}
	_, err = tryOpen(t, fmt.Sprintf("credentials: [{origin: 'http://127.0.0.1', mutualTLS: {certFile: %s, keyFile: %s}}]", own.CertFile, own.KeyFile))
	if err == nil || !strings.Contains(err.Error(), "origin: mutualTLS is for https") {
		t.Errorf("Open() of a certificate for http = %v, want it refused", err)
	}
}

func TestAnAgentThatWantsACertificateThatThereIsNotIsSaidTo(t *testing.T) {
	t.Parallel()
	authority := certtest.NewAuthority(t)
	url := "https://" + authority.Demand(t)
	client := open(t, "credentials: []").Client(policy.Client(netguard.ClientOptions{TLS: &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: authority.Pool()}}))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	want := "remote error: tls: certificate required (Quorate showed it no credential: the file of agents.credentialsFile has no entry for " + url + ")"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("GET = %v, want %q in the error", err, want)
	}
}

// TestACertificateThatIsTakenAwayEndsItsConnections has two agents whose connections wait for a next call.
func TestACertificateThatIsTakenAwayEndsItsConnections(t *testing.T) {
	t.Parallel()
	authority := certtest.NewAuthority(t)
	own := authority.Issue(t, "quorate")
	var opened [2]atomic.Int32
	var closed [2]chan struct{}
	var entries [2]string
	var urls [2]string
	for i := range urls {
		closed[i] = make(chan struct{}, 8)
		a := httptest.NewUnstartedServer(http.HandlerFunc(ok))
		a.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Issue(t, "agent").Pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool()}
		a.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened[i].Add(1)
			}
			if state == http.StateClosed {
				closed[i] <- struct{}{}
			}
		}
		a.StartTLS()
		t.Cleanup(a.Close)
		urls[i] = a.URL
		entries[i] = fmt.Sprintf("{origin: '%s', mutualTLS: {certFile: %s, keyFile: %s, caFile: %s}}", a.URL, own.CertFile, own.KeyFile, authority.CertFile)
	}
	file := write(t, "credentials: ["+entries[0]+","+entries[1]+"]")
	c, err := agentauth.Open(agentauth.Config{File: file, Policy: policy, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	call := func(i int) {
		t.Helper()
		if code, err := post(t.Context(), c, urls[i]); err != nil || code != http.StatusOK {
			t.Fatalf("POST to agent %d = %d, %v, want 200", i, code, err)
		}
	}
	call(0)
	call(1)
	rewrite(t, file, "credentials: ["+entries[1]+"]")
	if changed, err := c.Renew(); !changed || err != nil {
		t.Fatalf("Renew() = %t, %v, want a change", changed, err)
	}
	<-closed[0] // or the test hangs
	call(1)
	if n := opened[1].Load(); n != 1 {
		t.Errorf("%d connections to the agent whose entry stays, want the one", n)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	<-closed[1]
}
