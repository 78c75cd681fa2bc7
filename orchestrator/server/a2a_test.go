package server_test

import (
	"net"
	"net/netip"
	"testing"

	"github.com/quorate/quorate/orchestrator/server"
)

// at is a listener that only has an address.
type at struct {
	net.Listener
	address string
}

func (l at) Addr() net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(l.address)) }

func TestAgentsReachTheServerWhereItIsPublicOrOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ public, address, want string }{
		{"https://quorate.example/a/", "127.0.0.1:8080", "https://quorate.example/a"},
		{"", "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"", "[::1]:8080", "http://[::1]:8080"},
		{"", "192.0.2.1:8080", ""},
		{"", "[::]:8080", ""},
	} {
		if got := server.ReachedAt(server.Options{PublicURL: test.public, HTTPListener: at{address: test.address}}); got != test.want {
			t.Errorf("a server at %s with the public URL %q is reached at %q, want %q", test.address, test.public, got, test.want)
		}
	}
}
