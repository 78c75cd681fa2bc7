package netguard

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// MaxURL is the longest URL in bytes that CheckURL accepts.
const MaxURL = 8192

// Limits of names in the DNS (RFC 1035 section 2.3.4).
const (
	maxName  = 253
	maxLabel = 63
)

// CheckURL returns a fault unless u is an absolute http or https URL of at most MaxURL bytes with a plain host (an ASCII name
// or an IP address in its usual form), without user info, that the policy does not refuse by its text. It resolves nothing, so
// a URL that passes can still be refused when it is dialled.
func (p *Policy) CheckURL(u *url.URL) error {
	if u == nil {
		return invalid("there is no URL")
	}
	if len(u.String()) > MaxURL {
		return invalid("the URL is longer than 8192 bytes")
	}
	scheme := strings.ToLower(u.Scheme)
	switch {
	case scheme != "http" && scheme != "https":
		return invalid("the URL must start with http:// or https://")
	case u.Opaque != "" || u.Host == "":
		return invalid("the URL has no host; write it like https://example.com/page")
	case u.User != nil:
		return invalid("the URL must not hold a user name or a password")
	case strings.ContainsAny(u.Host, "%\\"):
		return invalid("the host must not hold a zone, an escape or a backslash")
	}
	return p.checkHostPort(u.Hostname(), Port(u))
}

// checkHostPort checks a host and a port as far as possible without resolving the host.
func (p *Policy) checkHostPort(host, port string) error {
	addr, err := netip.ParseAddr(host)
	literal := err == nil
	if !literal {
		if err := checkName(host); err != nil {
			return err
		}
	}
	exempt := p.allowsOrigin(host, port)
	if !exempt {
		if err := p.checkPort(port); err != nil {
			return err
		}
	}
	if literal {
		return p.checkAddr(addr, exempt)
	}
	if isLocalhost(host) && !exempt && !p.AllowLoopback {
		return blocked("it names this host")
	}
	return nil
}

// checkName refuses everything except plain ASCII host names, above all disguised numbers: to some resolvers, 127.1,
// 0x7f000001 and 2130706433 are loopback.
func checkName(host string) error {
	name := strings.TrimSuffix(host, ".")
	if name == "" || len(name) > maxName {
		return invalid("the host must be a name of 1 to 253 characters or an IP address")
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > maxLabel || strings.IndexFunc(label, notHostRune) >= 0 {
			return invalid("the host must be made of letters, digits, hyphens and dots; write other letters in their xn-- form")
		}
	}
	if isNumber(labels[len(labels)-1]) {
		return invalid("the host ends in a number and is not an IP address in its usual form, like 192.0.2.1")
	}
	return nil
}

func notHostRune(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
		return false
	}
	return true
}

// isNumber is the ends-in-a-number check of the URL standard (https://url.spec.whatwg.org/#ends-in-a-number-checker).
func isNumber(label string) bool {
	digits, set := label, "0123456789"
	if rest, ok := strings.CutPrefix(strings.ToLower(label), "0x"); ok {
		digits, set = rest, "0123456789abcdef"
	}
	return strings.Trim(digits, set) == ""
}

// isLocalhost reports whether RFC 6761 section 6.3 reserves the name for loopback.
func isLocalhost(host string) bool {
	name := canonicalHost(host)
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

func invalid(why string) *fault.Error {
	return fault.Invalid("url", ReasonURLInvalid, "this URL cannot be used: %s", why)
}
