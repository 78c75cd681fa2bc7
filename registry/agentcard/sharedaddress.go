package agentcard

import (
	"net/netip"
	"net/url"
	"path"
	"strings"
)

// SharedAddress returns a URL of the target that is, however it is spelt, an address of the source, too: both may be served by the same program under two
// names. It is false for two agents behind one address that a query or an A2A tenant tells apart. Names are not resolved.
func SharedAddress(source, target *Card) (at string, ok bool) {
	of := make(map[address]bool)
	for _, i := range source.Interfaces {
		of[addressOf(i)] = true
	}
	for _, i := range target.Interfaces {
		if of[addressOf(i)] {
			return i.URL, true
		}
	}
	return "", false
}

// address is where an agent is served. Whether with TLS or without does not matter: there is one server behind a port, and behind the default ports of
// a host there is one site.
type address struct{ host, port, path, query, tenant string }

func addressOf(i Interface) address {
	u, err := url.Parse(i.URL)
	if err != nil || u.Host == "" { // the host:port of gRPC
		u = &url.URL{Host: i.URL}
	}
	a := address{host: hostOf(u), port: strings.TrimLeft(u.Port(), "0"), tenant: i.Tenant}
	if a.port == "80" || a.port == "443" {
		a.port = ""
	}
	if i.Binding != BindingGRPC { // which has no paths
		a.path, a.query = strings.ToLower(path.Clean("/"+u.Path)), u.RawQuery
	}
	if a.path == "/" {
		a.path = ""
	}
	return a
}

// hostOf returns a host in one spelling. All addresses of this machine itself are localhost.
func hostOf(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip = ip.Unmap(); !ip.IsLoopback() && !ip.IsUnspecified() {
			return ip.String()
		}
		return "localhost"
	}
	if strings.HasSuffix(host, ".localhost") { // RFC 6761
		return "localhost"
	}
	return host
}
