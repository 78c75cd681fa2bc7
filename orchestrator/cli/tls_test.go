package cli_test

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/certtest"
)

func TestAConnectionThatCannotBeMadeSaysWhatToDo(t *testing.T) {
	t.Parallel()
	authority := certtest.NewAuthority(t)
	secret := httptest.NewUnstartedServer(http.NotFoundHandler())
	secret.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Pair}} // which names nobody
	secret.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)                         // it would print the refused handshakes
	secret.StartTLS()
	t.Cleanup(secret.Close)
	open := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(open.Close)
	for name, test := range map[string]struct {
		server, want string
	}{
		"another name":        {secret.URL, "try: a --server that the server's certificate names\n"},
		"no TLS there":        {strings.Replace(open.URL, "http:", "https:", 1), "try: http:// in --server, if the server is meant to have no TLS\n"},
		"nobody there":        {"http://127.0.0.1:1", "try: quorate dev, which starts a server on this machine\n"},
		"nobody there by TLS": {"https://127.0.0.1:1", "try: quorate dev, which starts a server on this machine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exit, _, stderr := run(t.Context(), "", "agents", "list", "--ca-file", authority.CertFile, "--server", test.server)
			if exit != 9 || !strings.HasSuffix(stderr, test.want) {
				t.Errorf("Main(agents list --server %s) = %d, %q, want 9 and %q", test.server, exit, stderr, test.want)
			}
		})
	}
}

func TestAServerThatAsksForACertificateIsShownOne(t *testing.T) {
	t.Parallel()
	authority := certtest.NewAuthority(t)
	own := authority.Issue(t, "ops")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) }))
	server.TLS = &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Issue(t, "quorate").Pair},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool(),
	}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo) // it would print the refused handshakes
	server.StartTLS()
	t.Cleanup(server.Close)
	for name, test := range map[string]struct {
		args []string
		exit int
		want string
	}{
		"with everything":       {[]string{"--ca-file", authority.CertFile, "--cert-file", own.CertFile, "--key-file", own.KeyFile}, 0, "no agents"},
		"without a certificate": {[]string{"--ca-file", authority.CertFile}, 9, "--cert-file"},
		"without the authority": {nil, 9, "--ca-file"},
		"half of a certificate": {[]string{"--cert-file", own.CertFile}, 2, "belong together"},
		"a file that is none":   {[]string{"--ca-file", own.KeyFile}, 6, "is not a certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exit, _, stderr := run(t.Context(), "", append([]string{"agents", "list", "--server", server.URL}, test.args...)...)
			if exit != test.exit || !strings.Contains(stderr, test.want) {
				t.Errorf("Main(agents list %q) = %d, %q, want %d and %q", test.args, exit, stderr, test.exit, test.want)
			}
		})
	}
}
