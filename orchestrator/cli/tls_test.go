package cli_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/orchestrator/cli"
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
	rpc := grpc.NewServer()
	port, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = rpc.Serve(port) }()
	t.Cleanup(rpc.Stop)
	for name, test := range map[string]struct {
		server, want string
	}{
		"another name":        {secret.URL, "try: a --server that the server's certificate names\n"},
		"no TLS there":        {strings.Replace(open.URL, "http:", "https:", 1), "try: http:// in --server, if the server is meant to have no TLS\n"},
		"nobody there":        {"http://127.0.0.1:1", "try: quorate dev, which starts a server on this machine\n"},
		"nobody there by TLS": {"https://127.0.0.1:1", "try: quorate dev, which starts a server on this machine\n"},
		"the port of gRPC":    {"http://" + port.Addr().String(), "try: the port of HTTP in --server: this one seems to be that of gRPC\n"},
		"no such name":        {"https://quorate..example", "try: another --server, or a look at why this one is not reached from this machine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--ca-file", authority.CertFile, "--server", test.server}
			exit, _, stderr := run(t.Context(), "", append([]string{"agents", "list"}, args...)...)
			if exit != 9 || !strings.HasSuffix(stderr, test.want) {
				t.Errorf("Main(agents list --server %s) = %d, %q, want 9 and %q", test.server, exit, stderr, test.want)
			}
			exit, stdout, stderr := run(t.Context(), "", append([]string{"doctor"}, args...)...)
			if exit != 1 || !strings.Contains(stdout, test.want) {
				t.Errorf("Main(doctor --server %s) = %d, %q, %q, want 1 and %q", test.server, exit, stdout, stderr, test.want)
			}
		})
	}
}

func TestAProxyThatIsAwayIsNotTakenForTheServer(t *testing.T) {
	t.Parallel()
	away := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:1"})}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://quorate.example", http.NoBody)
	response, err := away.RoundTrip(request)
	if err == nil {
		t.Fatalf("RoundTrip() = %v, want an error", response.Body.Close())
	}
	const want = "a proxy that answers in HTTP_PROXY or HTTPS_PROXY, or NO_PROXY with the server's name"
	if got := cli.Reach(err); got != want {
		t.Errorf("Reach(%v) = %q, want %q", err, got, want)
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

// TestAServerThatAskedForACertificateMayHaveRefusedIt has the server end the connection after the handshake, as one does that refuses a certificate in TLS 1.3,
// whose words are lost when we have written meanwhile.
func TestAServerThatAskedForACertificateMayHaveRefusedIt(t *testing.T) {
	t.Parallel()
	authority := certtest.NewAuthority(t)
	own := authority.Issue(t, "ops")
	port, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{authority.Issue(t, "quorate").Pair}, ClientAuth: tls.RequestClientCert,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = port.Close() })
	go func() {
		for {
			c, err := port.Accept()
			if err != nil {
				return
			}
			_ = c.(*tls.Conn).HandshakeContext(context.WithoutCancel(t.Context()))
			_ = c.(*tls.Conn).NetConn().Close() // it says nothing
		}
	}()
	const want = "try: --cert-file and --key-file with what the server accepts: it asks for a certificate\n"
	for name, more := range map[string][]string{"none is shown": nil, "one is shown": {"--cert-file", own.CertFile, "--key-file", own.KeyFile}} {
		args := append([]string{"--ca-file", authority.CertFile, "--server", "https://" + port.Addr().String()}, more...)
		if exit, _, stderr := run(t.Context(), "", append([]string{"whoami"}, args...)...); exit != 9 || !strings.HasSuffix(stderr, want) {
			t.Errorf("%s: Main(whoami) = %d, %q, want 9 and %q", name, exit, stderr, want)
		}
		if exit, stdout, _ := run(t.Context(), "", append([]string{"doctor"}, args...)...); exit != 1 || !strings.Contains(stdout, want) {
			t.Errorf("%s: Main(doctor) = %d, %q, want 1 and %q", name, exit, stdout, want)
		}
	}
}

func TestACertificateThatDoesNotHoldIsNotAMatterOfTheAddress(t *testing.T) {
	t.Parallel()
	for reason, want := range map[x509.InvalidReason]string{
		x509.Expired:           "a new certificate for the server, or the right time on this machine",
		x509.IncompatibleUsage: "a certificate for the server whose extended key usage has serverAuth",
	} {
		err := fmt.Errorf("no connection: %w", x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: reason})
		if got := cli.Reach(err); got != want {
			t.Errorf("Reach(%v) = %q, want %q", err, got, want)
		}
	}
}
