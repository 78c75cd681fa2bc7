package dev

import (
	"net"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// checkLoopback refuses an address that other machines could reach: dev mode has one shared token and no TLS.
func checkLoopback(field, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" {
		return fault.Invalid(field, "CONFIG_INVALID", "%q is not an address: write host:port, for example 127.0.0.1:0", addr)
	}
	if netguard.IsLoopback(host) {
		return nil
	}
	return fault.Invalid(field, "CONFIG_INVALID", "%q is not on loopback: quorate dev has one shared token and no TLS, so it serves this machine only; use 127.0.0.1, [::1] or localhost", addr)
}
