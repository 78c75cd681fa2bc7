package netguard

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/quorate/quorate/platform/fault"
)

// Resolve returns the addresses of addr, a host:port, if the policy permits all of them. It is for programs that dial
// themselves: give them one of the addresses, never the host, which may resolve to something else the next time.
func (p *Policy) Resolve(ctx context.Context, network, addr string) ([]netip.AddrPort, error) {
	host, portText, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, invalid("the address is not a host and a port")
	}
	if err := p.checkHostPort(host, portText); err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, invalid("the port is not a number")
	}
	resolver := p.Resolver
	if resolver == nil {
		resolver = &net.Resolver{PreferGo: true}
	}
	family := map[string]string{"tcp": "ip", "tcp4": "ip4", "tcp6": "ip6"}[network]
	if family == "" {
		return nil, fault.New(fault.PermissionDenied, ReasonAddressBlocked, "the network %q may not be called: only TCP is", network)
	}
	found, err := resolver.LookupNetIP(ctx, family, host)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", host, err)
	}
	exempt := p.allowsOrigin(host, portText)
	list := make([]netip.AddrPort, 0, len(found))
	for _, ip := range found {
		if err := p.checkAddr(ip, exempt); err != nil {
			return nil, err
		}
		list = append(list, netip.AddrPortFrom(ip.Unmap(), uint16(port)))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("resolve %s: it has no address", host)
	}
	return list, nil
}
