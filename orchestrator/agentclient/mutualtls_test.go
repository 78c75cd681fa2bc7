package agentclient_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestAnAgentThatWantsACertificateAndATokenIsShownBothOverEveryBinding has agents that know their callers by a token, and let only some connect.
func TestAnAgentThatWantsACertificateAndATokenIsShownBothOverEveryBinding(t *testing.T) {
	t.Parallel()
	const token = "Bearer t0ken"
	authority := certtest.NewAuthority(t)
	own := authority.Issue(t, "quorate")
	demands := &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Issue(t, "agent").Pair},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool(),
	}

	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		open{}.ServeHTTP(w, r)
	}))
	h.TLS, h.EnableHTTP2 = demands.Clone(), true
	h.StartTLS()
	t.Cleanup(h.Close)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(demands)), grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if !slices.Equal(metadata.ValueFromIncomingContext(ctx, "authorization"), []string{token}) {
			return nil, status.Error(codes.Unauthenticated, "who is it?")
		}
		return next(ctx, req)
	}))
	a2apb.RegisterA2AServiceServer(s, open{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)

	folder := t.TempDir()
	secret := writeFile(t, filepath.Join(folder, "token"), strings.TrimPrefix(token, "Bearer "))
	shows := fmt.Sprintf("bearer: {token: 'file:%s'}, mutualTLS: {certFile: %s, keyFile: %s, caFile: %s}}", secret, own.CertFile, own.KeyFile, authority.CertFile)
	file := writeFile(t, filepath.Join(folder, "credentials.yaml"),
		"credentials: [{origin: 'https://"+l.Addr().String()+"', "+shows+", {origin: '"+h.URL+"', "+shows+"]")
	guard := &netguard.Policy{AllowLoopback: true}
	c, err := agentauth.Open(agentauth.Config{File: file, Policy: guard, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for credentials, want := range map[*agentauth.Credentials]string{c: "", nil: agentclient.ReasonUnreachable} {
		p := agentclient.NewPool(guard.DialContext, guard.Client(netguard.ClientOptions{}), credentials)
		t.Cleanup(p.Close)
		for _, in := range []agentcard.Interface{
			{URL: "https://" + l.Addr().String(), Binding: agentcard.BindingGRPC}, {URL: h.URL, Binding: agentcard.BindingJSONRPC}, {URL: h.URL, Binding: agentcard.BindingHTTPJSON},
		} {
			card := agentcard.Card{Interfaces: []agentcard.Interface{in}}
			if _, err := send(t, p, false, card); fault.ReasonOf(err) != want {
				t.Errorf("Send() over %s = %v, want the reason %q", in.Binding, err, want)
			}
			if err := pass(t, p, false, card); fault.ReasonOf(err) != want && in.Binding != agentcard.BindingHTTPJSON {
				t.Errorf("a passage over %s = %v, want the reason %q", in.Binding, err, want)
			}
		}
	}
}

func TestAnAgentThatRefusesTheCertificateIsSaidTo(t *testing.T) {
	t.Parallel()
	authority := certtest.NewAuthority(t)
	foreign, url := certtest.NewAuthority(t).Issue(t, "stranger"), "https://"+authority.Demand(t)
	file := writeFile(t, filepath.Join(t.TempDir(), "credentials.yaml"), fmt.Sprintf("credentials: [{origin: '%s', mutualTLS: {certFile: %s, keyFile: %s, caFile: %s}}]",
		url, foreign.CertFile, foreign.KeyFile, authority.CertFile))
	guard := &netguard.Policy{AllowLoopback: true}
	c, err := agentauth.Open(agentauth.Config{File: file, Setting: "agents.credentialsFile", Policy: guard, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	p := agentclient.NewPool(guard.DialContext, guard.Client(netguard.ClientOptions{}), c)
	t.Cleanup(p.Close)
	want := "remote error: tls: unknown certificate authority (Quorate showed it the mutualTLS of agents.credentialsFile for " + url
	for _, binding := range []string{agentcard.BindingGRPC, agentcard.BindingJSONRPC, agentcard.BindingHTTPJSON} {
		_, err := send(t, p, false, agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: binding}}})
		if fault.ReasonOf(err) != agentclient.ReasonUnreachable || !strings.Contains(err.Error(), want) {
			t.Errorf("Send() over %s = %v, want the reason %s and %q in it", binding, err, agentclient.ReasonUnreachable, want)
		}
	}
}

func TestACertificateThatIsTakenAwayIsShownNoMore(t *testing.T) {
	t.Parallel()
	authority := certtest.NewAuthority(t)
	own := authority.Issue(t, "quorate")
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Issue(t, "agent").Pair},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool(),
	})))
	agent := busy{begun: make(chan struct{})}
	a2apb.RegisterA2AServiceServer(s, agent)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	file := filepath.Join(t.TempDir(), "credentials.yaml")
	shows := fmt.Sprintf("mutualTLS: {certFile: %s, keyFile: %s, caFile: %s}", own.CertFile, own.KeyFile, authority.CertFile)
	writeFile(t, file, "credentials: [{origin: 'https://"+l.Addr().String()+"', "+shows+"}]")
	guard := &netguard.Policy{AllowLoopback: true}
	c, err := agentauth.Open(agentauth.Config{File: file, Policy: guard, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	p := agentclient.NewPool(guard.DialContext, guard.Client(netguard.ClientOptions{}), c)
	t.Cleanup(p.Close)
	card := agentcard.Card{Interfaces: []agentcard.Interface{{URL: "https://" + l.Addr().String(), Binding: agentcard.BindingGRPC}}}
	if _, err := send(t, p, false, card); err != nil {
		t.Fatalf("Send() with the certificate = %v, want no error", err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := send(t, p, true, card)
		ended <- err
	}()
	<-agent.begun
	writeFile(t, file, "credentials: []")
	if err := os.Chtimes(file, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if changed, err := c.Renew(); !changed || err != nil {
		t.Fatalf("Renew() = %t, %v, want the list without it", changed, err)
	}
	if _, err := send(t, p, false, card); fault.ReasonOf(err) != agentclient.ReasonUnreachable {
		t.Errorf("Send() without the certificate = %v, want the reason %s", err, agentclient.ReasonUnreachable)
	}
	select {
	case err := <-ended:
		if fault.ReasonOf(err) != agentclient.ReasonUnreachable {
			t.Errorf("Send() that began with the certificate = %v, want the reason %s", err, agentclient.ReasonUnreachable)
		}
	case <-time.After(30 * time.Second):
		t.Error("a call goes on over the connection with the certificate that was taken away")
	}
}
