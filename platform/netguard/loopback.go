package netguard

import "net/netip"

// IsLoopback reports whether a host, as url.URL.Hostname and net.SplitHostPort return it, is this machine: a loopback address, or the name localhost. Other
// names are not looked up.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
