package kit

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/quorate/quorate/platform/netguard"
)

// checkHost refuses requests to an agent on loopback under a foreign name, which defends against DNS rebinding: a page whose name was rebound to this
// machine is of the agent's own origin to the browser, and could otherwise read every task. Elsewhere an agent may have names that it does not know.
func (a *Agent) checkHost(next http.Handler) http.Handler {
	if at, ok := a.config.Listener.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		return next
	}
	public := hostname(a.url.Host)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := hostname(r.Host); name != public && !netguard.IsLoopback(name) {
			http.Error(w, fmt.Sprintf("this agent does not serve the host %.100q; its public URL says under which other name it may be called", r.Host), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostname returns the name in a Host header in lower case, without port, brackets and final dot.
func hostname(host string) string {
	return strings.TrimSuffix(strings.ToLower((&url.URL{Host: host}).Hostname()), ".")
}
