package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
)

// DialContext connects to addr, a host:port, over tcp, tcp4 or tcp6 if the policy permits the address that the host resolves
// to. It can be used with http.Transport and, inside a closure, with grpc.WithContextDialer. It gives up after 10 seconds. A
// refusal is a fault in the error's chain.
func (p *Policy) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, invalid("the address is not a host and a port")
	}
	if err := p.checkHostPort(host, port); err != nil {
		return nil, err
	}
	resolver := p.Resolver
	if resolver == nil {
		resolver = &net.Resolver{PreferGo: true}
	}
	exempt := p.allowsOrigin(host, port)
	dialer := net.Dialer{
		Timeout:   dialTimeout,
		KeepAlive: keepAlive,
		Resolver:  resolver,
		ControlContext: func(_ context.Context, network, address string, socket syscall.RawConn) error {
			if err := p.checkDialled(network, address, exempt); err != nil {
				return err
			}
			return boundSilence(socket)
		},
	}
	return dialer.DialContext(ctx, network, addr) // its errors name the address
}

// checkDialled runs after the socket is created and before it connects, with exactly the address that connect will use.
func (p *Policy) checkDialled(network, address string, exempt bool) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return blocked("it is not a TCP address")
	}
	err = p.checkAddr(target.Addr(), exempt)
	if f, ok := errors.AsType[*fault.Error](err); ok {
		f.Cause = fmt.Errorf("refused to connect to %s", address)
	}
	return err
}
