package netguard

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
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

// IsEndpoint reports whether text is the base URL of a server that an operator can configure: http or https, without user, query and fragment.
func IsEndpoint(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && IsHostPort(net.JoinHostPort(u.Hostname(), Port(u))) && u.User == nil && u.RawQuery+u.Fragment == ""
}

// IsHostPort reports whether text is host:port with a host and a number: nothing can be called at :8080, host:https or host:0.
func IsHostPort(text string) bool {
	_, port, err := net.SplitHostPort(text)
	number, wrong := strconv.ParseUint(port, 10, 16)
	return err == nil && wrong == nil && number > 0 && IsHost(text)
}

const maxHost = 253 + len(":65535") // bytes

// label is a part of a host's name as requests have it: other letters are encoded there (RFC 5891). Networks of containers also have underscores.
var label = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$`)

// IsHost reports whether text is the name or the address of one host, with or without a port.
func IsHost(text string) bool {
	u, err := url.Parse("//" + text)
	if err != nil || u.Host != text || len(text) > maxHost {
		return false
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return true
	}
	return !slices.ContainsFunc(strings.Split(strings.TrimSuffix(u.Hostname(), "."), "."), func(part string) bool { return !label.MatchString(part) })
}
