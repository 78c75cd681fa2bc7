package cli_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch/cli"
	"github.com/quorate/quorate/platform/certtest"
)

// TestAQuorateThatAsksForACertificateIsShownOne has one that answers that it is busy.
func TestAQuorateThatAsksForACertificateIsShownOne(t *testing.T) {
	t.Parallel()
	authority, shown := certtest.NewAuthority(t), make(chan string, 1)
	own := authority.Issue(t, "web-fetch")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case shown <- r.TLS.PeerCertificates[0].Subject.CommonName:
		default:
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	server.TLS = &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Issue(t, "quorate").Pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool(),
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var notes strings.Builder
	code := make(chan int, 1)
	go func() {
		code <- cli.Main(ctx, []string{
			"--addr", "127.0.0.1:0", "--server", server.URL, "--token-file", write(t, "token", "quorate_agent_x"),
			"--ca-file", authority.CertFile, "--cert-file", own.CertFile, "--key-file", own.KeyFile,
		}, nil, io.Discard, &notes)
	}()
	select {
	case got := <-shown:
		if got != "web-fetch" {
			t.Errorf("Quorate was shown the certificate of %q, want the agent's", got)
		}
	case got := <-code:
		t.Fatalf("Main() = %d, %s, want it to go on", got, notes.String())
	case <-time.After(30 * time.Second):
		t.Error("Quorate was shown no certificate")
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("Main() = %d after a stop, want 0; log: %s", got, notes.String())
	}
}

func TestCertificatesThatCannotBeShownAreRefused(t *testing.T) {
	t.Parallel()
	own := certtest.NewAuthority(t).Issue(t, "web-fetch")
	for want, args := range map[string][]string{
		"belong together":          {"--cert-file", own.CertFile},
		"the authorities to trust": {"--ca-file", own.KeyFile},
		"read the certificate: ":   {"--cert-file", "/no/such", "--key-file", own.KeyFile},
	} {
		if code, _, notes := run(t, append(args, "--addr", "127.0.0.1:0")...); code != 6 || !strings.Contains(notes, want) {
			t.Errorf("webfetch %q = %d, %s, want 6 and %q", args, code, notes, want)
		}
	}
}
