package certtest

import (
	"crypto/tls"
	"io"
	"net"
	"testing"
)

// Demand runs a server with a certificate of the authority that demands one of the same authority from its clients, and returns its address. A client that it
// refuses learns why on any machine: until it leaves, the server does not close the connection, which could drop the alert.
func (a *Certificate) Demand(t testing.TB) string {
	t.Helper()
	config := &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{a.Issue(t, "server").Pair},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.Pool(), NextProtos: []string{"h2", "http/1.1"},
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				_ = tls.Server(conn, config).HandshakeContext(t.Context()) // what it refuses, it says to the client
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}()
	return l.Addr().String()
}
