package netguard

import (
	"net/netip"
	"net/url"
	"strings"
)

// IsLoopback reports whether a host, as url.URL.Hostname and net.SplitHostPort return it, is a loopback address or the name localhost. It resolves no other
// names.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// IsLoopbackURL reports whether a URL has such a host.
func IsLoopbackURL(rawURL string) bool {
	u, err := url.Parse(rawURL)
	return err == nil && IsLoopback(u.Hostname())
}

// IsPrivateURL reports whether nobody on the way can read or change what is sent to a URL: it is https, or http on this machine.
func IsPrivateURL(rawURL string) bool {
	u, err := url.Parse(rawURL)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Hostname()))
}
