package allowlist

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/quorate/quorate/platform/fault"
)

// ReasonDomainInvalid is the reason of an InvalidArgument fault for something that cannot be listed.
const ReasonDomainInvalid = "DOMAIN_INVALID"

const (
	maxDomain = 255 // bytes of an entry, as in the table of document 002
	maxLabel  = 63  // RFC 1035 section 2.3.4
	wildcard  = "*."
)

// Domain is an entry of the list in its canonical form: lower case, in ASCII, without a trailing dot.
type Domain string

// Parse parses an entry as people write it.
func Parse(text string) (Domain, error) {
	host, below := strings.CutPrefix(strings.TrimSpace(text), wildcard)
	name, port, why := split(host)
	if why != "" {
		return "", invalid(text, why)
	}
	if _, isIP := parseIP(name); isIP && below {
		return "", invalid(text, "an address has no names below it")
	} else if !isIP && isPublicSuffix(name, below) {
		return "", invalid(text, "everybody can have a name below it; list the hosts that are meant")
	}
	if below {
		name = wildcard + name
	}
	if port == "" {
		name = bracketed(name)
	} else {
		name = net.JoinHostPort(name, port)
	}
	if len(name) > maxDomain {
		return "", invalid(text, "it is too long")
	}
	return Domain(name), nil
}

// split returns the name and the port of an entry without its wildcard, or why it has none.
func split(host string) (name, port, why string) {
	u, err := url.Parse("//" + host)
	if err != nil || u.Host != host || u.Hostname() == "" || strings.ContainsAny(host, "%@*\\ ") {
		return "", "", "write a host such as example.com, *.example.com or example.com:8443"
	}
	port = u.Port()
	if strings.HasSuffix(host, ":") || port != "" && !validPort(port) {
		return "", "", "its port is not a number from 1 to 65535"
	}
	if name, err = canonical(u.Hostname()); err != nil {
		return "", "", "it is not a valid host name"
	}
	return name, port, ""
}

// isPublicSuffix reports whether anybody can register names below name. A single label, such as localhost, counts only if below is true.
func isPublicSuffix(name string, below bool) bool {
	suffix, listed := publicsuffix.PublicSuffix(name)
	return suffix == name && (below || listed || strings.Contains(name, "."))
}

func invalid(text, why string) error {
	if len(text) > maxDomain {
		text = strings.ToValidUTF8(text[:maxDomain], "")
	}
	return fault.Invalid("domain", ReasonDomainInvalid, "the domain %q cannot be listed: %s", text, why)
}

func validPort(port string) bool {
	n, err := strconv.Atoi(port)
	return err == nil && n > 0 && n < 1<<16 && port[0] != '0' && port[0] != '+'
}

func canonical(host string) (string, error) {
	host = strings.TrimSuffix(host, ".")
	if ip, ok := parseIP(host); ok {
		return ip.String(), nil
	}
	if strings.IndexFunc(host, func(r rune) bool { return r > '~' }) >= 0 {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", err
		}
		host = ascii
	}
	host = strings.ToLower(host)
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > maxLabel || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", errors.New("not a host name")
		}
	}
	return host, nil
}

func parseIP(host string) (netip.Addr, bool) {
	ip, err := netip.ParseAddr(host)
	return ip.Unmap(), err == nil && ip.Zone() == ""
}

// covering returns all entries that would allow the host and port, the narrowest first; none for an invalid host.
func covering(host, port string) []Domain {
	name, err := canonical(host)
	if err != nil || name == "" {
		return nil
	}
	names := []string{name}
	if _, ok := parseIP(name); !ok {
		for _, rest, more := strings.Cut(name, "."); more; _, rest, more = strings.Cut(rest, ".") {
			names = append(names, wildcard+rest)
		}
	}
	list := make([]Domain, 0, 2*len(names))
	for _, n := range names {
		list = append(list, Domain(net.JoinHostPort(n, port)), Domain(bracketed(n)))
	}
	return list
}

// bracketed returns a host as written in URLs: an IPv6 address in brackets.
func bracketed(name string) string {
	if strings.Contains(name, ":") {
		return "[" + name + "]"
	}
	return name
}
