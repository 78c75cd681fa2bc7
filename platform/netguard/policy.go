package netguard

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// The reasons of this package's faults.
const (
	ReasonAddressBlocked = "ADDRESS_BLOCKED" // PermissionDenied: the address, the port or the name is not permitted
	ReasonURLInvalid     = "URL_INVALID"     // InvalidArgument: no client should send this URL
)

// MetadataNever is in the metadata of an ADDRESS_BLOCKED that no operator can lift, so that nobody is advised to try.
const MetadataNever = "never"

// never returns the fault for what no option permits.
func never(why string) *fault.Error {
	return fault.New(fault.PermissionDenied, ReasonAddressBlocked, "this address is never called: %s", why).With(MetadataNever, "true")
}

// Policy says which addresses may be called. The zero value permits public addresses only. It must not be changed while it
// is in use.
type Policy struct {
	AllowLoopback bool          // for development: permits 127.0.0.0/8, ::1, 0.0.0.0 and :: on any allowed port, and the host's own addresses
	AllowOrigins  []string      // exact host:port that may be called even if special-purpose; metadata services stay refused
	AllowPorts    []int         // the only ports; nil permits all except the well-known ports of other protocols
	Resolver      *net.Resolver // nil is Go's own, which refuses spellings like 0x7f.1 that libc's accepts
}

// allowsOrigin reports whether AllowOrigins names this host and port.
func (p *Policy) allowsOrigin(host, port string) bool {
	want := canonicalHost(host)
	return slices.ContainsFunc(p.AllowOrigins, func(origin string) bool {
		h, pt, err := net.SplitHostPort(origin)
		return err == nil && pt == port && canonicalHost(h) == want
	})
}

// canonicalHost makes spellings of one host equal: letter case, the trailing dot and the forms of an IP address.
func canonicalHost(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// checkAddr returns a fault unless the policy permits addr. exempt says that AllowOrigins names the origin being dialled.
func (p *Policy) checkAddr(addr netip.Addr, exempt bool) error {
	if addr.Zone() != "" {
		// Prefix.Contains is false for zoned addresses: [::1%lo] would pass every list.
		return never("an IPv6 address with a zone names a local network")
	}
	addr = addr.Unmap()
	switch {
	case isMetadata(addr):
		return never("it is link-local or a cloud metadata service")
	case exempt, p.AllowLoopback && addr.IsLoopback():
		return nil
	case addr.IsUnspecified():
		if p.AllowLoopback { // a call to it reaches this machine, and many agents that listen at it write it into their cards
			return nil
		}
		return blocked("it is where a server listens, and calls to it reach this machine")
	case isSpecial(addr):
		return blocked("it is not on the public internet")
	case p.AllowLoopback:
		return nil
	}
	return checkNotOurs(addr)
}

// checkNotOurs refuses the addresses of this host: from here they lead to services that the internet cannot reach.
func checkNotOurs(addr netip.Addr) error {
	ours, err := net.InterfaceAddrs()
	if err != nil {
		return blocked("the addresses of this host cannot be listed")
	}
	for _, a := range ours {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Unmap() == addr {
			return blocked("it is an address of this host")
		}
	}
	return nil
}

func blocked(why string) *fault.Error {
	return fault.New(fault.PermissionDenied, ReasonAddressBlocked,
		"this address may not be called: %s; an operator can allow one internal service by its exact host:port", why)
}
