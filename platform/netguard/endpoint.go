package netguard

import (
	"net"
	"net/url"
	"strings"
)

// ForEndpoint returns a policy for requests to a URL that an operator has configured, whose address need not be public. The resolver may be nil.
func ForEndpoint(u *url.URL, r *net.Resolver) *Policy {
	return &Policy{AllowOrigins: []string{net.JoinHostPort(u.Hostname(), Port(u))}, Resolver: r}
}

// Port returns the port of a URL, or else the default port of http and https; "" for other schemes.
func Port(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
}
