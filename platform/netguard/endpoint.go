package netguard

import (
	"net"
	"net/url"
	"strings"
)

// ForEndpoint returns a policy for requests to a URL that an operator names: it may be on an address that is not public. The resolver may be nil.
func ForEndpoint(u *url.URL, r *net.Resolver) *Policy {
	return &Policy{AllowOrigins: []string{net.JoinHostPort(u.Hostname(), Port(u))}, Resolver: r}
}

// Port returns the port that a URL is asked at: its own, or the usual one of http and https; empty for another scheme.
func Port(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
}
