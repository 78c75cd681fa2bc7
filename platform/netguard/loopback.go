package netguard

import "net/netip"

// IsLoopback reports whether a host, as url.URL.Hostname and net.SplitHostPort return it, is a loopback address or the name localhost. It resolves no other
// names.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
