package netguard_test

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/quorate/quorate/platform/netguard"
)

func TestAConnectionToAHostThatVanishedEnds(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	address := listener.Addr().String()
	conn, err := (&netguard.Policy{AllowOrigins: []string{address}}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var got int
	if controlErr := raw.Control(func(fd uintptr) {
		got, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
	}); controlErr != nil || err != nil {
		t.Fatal(controlErr, err)
	}
	if got != 30_000 {
		t.Errorf("what was sent may stay unacknowledged for %d ms, want 30,000: else calls over one connection wait for a quarter of an hour", got)
	}
}
