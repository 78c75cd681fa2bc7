package rpcserver

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// hostGuard refuses requests whose Host header is not ours, which defends against DNS rebinding: a page whose name was rebound to our address could
// otherwise read the answers. Such a page always has a name, so an IP address is accepted when the listener has that address.
type hostGuard struct {
	names    []string
	loopback bool // the listener is on a loopback address
}

func newHostGuard(allowed []string, l net.Listener) hostGuard {
	g := hostGuard{names: []string{"localhost"}}
	for _, name := range allowed {
		g.names = append(g.names, hostname(name))
	}
	if l == nil {
		return g
	}
	if address, ok := l.Addr().(*net.TCPAddr); ok {
		g.loopback = address.IP.IsLoopback()
	}
	return g
}

func (s *Server) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.hosts.allows(r.Host) {
			s.refuse(w, r, http.StatusMisdirectedRequest, fault.New(fault.PermissionDenied, "HOST_DENIED", "this server does not serve the host %q; call it by its address or as localhost, or have its operator allow this name", r.Host))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g hostGuard) allows(hostport string) bool {
	name := hostname(hostport)
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.IsLoopback() || !g.loopback
	}
	return slices.Contains(g.names, name)
}

// hostname returns the name in a Host header in lower case, without port, brackets and final dot.
func hostname(hostport string) string {
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = strings.Trim(hostport, "[]")
	}
	return strings.TrimSuffix(strings.ToLower(name), ".")
}
