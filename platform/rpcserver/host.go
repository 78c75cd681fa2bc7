package rpcserver

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// hostGuard refuses requests for a name that is not ours: a page whose name was rebound to our address could
// otherwise read the answers. Such a page always has a name, so an address is safe where the listener has that address.
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

func (g hostGuard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.allows(r.Host) {
			writeErrorCode(w, http.StatusMisdirectedRequest,
				fault.New(fault.PermissionDenied, "HOST_DENIED", "this server is not known as %q", r.Host))
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

// hostname returns the lower case name in a Host header, without port, brackets and final dot.
func hostname(hostport string) string {
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = strings.Trim(hostport, "[]")
	}
	return strings.TrimSuffix(strings.ToLower(name), ".")
}
