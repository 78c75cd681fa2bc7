package netguard_test

import (
	"net/netip"
	"net/url"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

func TestAPublicAddressOfThisHostIsRefused(t *testing.T) {
	const own = "93.184.216.34"
	u := &url.URL{Scheme: "https", Host: own}
	policy := &netguard.Policy{}
	if err := policy.CheckURL(u); err != nil {
		t.Fatalf("CheckURL(%s) = %v, want nil while it is another host's", u, err)
	}
	haveAddress(t, own)
	if err := policy.CheckURL(u); fault.ReasonOf(err) != netguard.ReasonAddressBlocked {
		t.Errorf("CheckURL(%s) = %v, want ADDRESS_BLOCKED: the address is this host's", u, err)
	}
	if _, err := policy.Resolve(t.Context(), "tcp", own+":443"); fault.ReasonOf(err) != netguard.ReasonAddressBlocked {
		t.Errorf("Resolve(%s) = %v, want ADDRESS_BLOCKED: the address is this host's", own, err)
	}
	policy.AllowLoopback = true
	if err := policy.CheckURL(u); err != nil {
		t.Errorf("CheckURL(%s) = %v, want nil in development", u, err)
	}
}

// haveAddress gives the thread of this test a network of its own, whose one interface has an IPv4 address. The thread ends with the test.
func haveAddress(t *testing.T, address string) {
	t.Helper()
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skipf("this process may not make a network of its own (%v): run the test as root", err)
	}
	ifreq, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	ip := netip.MustParseAddr(address).As4()
	if err := ifreq.SetInet4Addr(ip[:]); err != nil {
		t.Fatal(err)
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(socket) }()
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFADDR, ifreq); err != nil {
		t.Fatal(err)
	}
}
