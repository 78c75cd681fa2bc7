package rpcserver_test

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/platform/rpcserver"
)

// TestTheLogSaysWhyAHandshakeOverGRPCFails has one client refuse the server, the server refuse another, and neither a third.
func TestTheLogSaysWhyAHandshakeOverGRPCFails(t *testing.T) {
	t.Parallel()
	authority := certtest.NewAuthority(t)
	client := authority.Issue(t, "agent")
	var port string
	r := start(t, func(o *rpcserver.Options, _ func(func(*rpcserver.Server))) {
		port = o.GRPCListener.Addr().String()
		o.GRPCListener = tls.NewListener(o.GRPCListener, &tls.Config{
			MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}, Certificates: []tls.Certificate{authority.Issue(t, "quorate").Pair},
			ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool(),
		})
	})
	trusting := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}, RootCAs: authority.Pool(), ServerName: "127.0.0.1"}
	for cause, config := range map[string]*tls.Config{"remote error: tls: bad certificate": {MinVersion: tls.VersionTLS12, ServerName: "127.0.0.1"}, "client didn't provide a certificate": trusting} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", port)
		if err != nil {
			t.Fatal(err)
		}
		_ = tls.Client(conn, config).HandshakeContext(t.Context()) // in TLS 1.3 the client does not know yet that it is refused
		if _, err := io.Copy(io.Discard, conn); err != nil || !strings.Contains(r.log.String(), cause) {
			t.Errorf("when the server has closed the connection (%v), the log is %s, want %q in it", err, r.log.String(), cause)
		}
		_ = conn.Close()
	}
	probe, err := new(net.Dialer).DialContext(t.Context(), "tcp", port) // as load balancers do
	if err != nil {
		t.Fatal(err)
	}
	_ = probe.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, probe)
	_ = probe.Close()
	if got := r.log.String(); strings.Count(got, "gRPC: a TLS handshake failed") != 2 {
		t.Errorf("the log is %s, want a line about each handshake, and none about a probe", got)
	}
	trusting.Certificates = []tls.Certificate{client.Pair}
	conn, err := grpc.NewClient(port, grpc.WithTransportCredentials(credentials.NewTLS(trusting)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book")); err != nil {
		t.Errorf("Invoke(with a certificate) = %v, want no error", err)
	}
}
