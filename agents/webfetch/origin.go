package webfetch

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"github.com/quorate/quorate/platform/fault"
)

// origins is a set of "host:port"; an entry without a port stands for both default ports.
type origins map[string]bool

func parseOrigins(list []string) (origins, error) {
	set := make(origins, len(list))
	for _, entry := range list {
		u, err := url.Parse("//" + entry)
		if err != nil || u.Host != entry || u.Hostname() == "" || strings.ContainsAny(entry, "%@*") {
			return nil, fmt.Errorf("allowed host %q: write a host or host:port, such as example.com or 127.0.0.1:8080", entry)
		}
		host, err := idna.Lookup.ToASCII(strings.TrimSuffix(u.Hostname(), "."))
		if err != nil && net.ParseIP(u.Hostname()) == nil {
			return nil, fmt.Errorf("allowed host %q: %w", entry, err)
		}
		if err != nil {
			host = u.Hostname()
		}
		for _, port := range ports(u.Port()) {
			set[net.JoinHostPort(strings.ToLower(host), port)] = true
		}
	}
	return set, nil
}

func ports(port string) []string {
	if port == "" {
		return []string{"80", "443"}
	}
	return []string{port}
}

// check returns a fault unless the origin of u, whose host is in ASCII, is in the set.
func (o origins) check(u *url.URL) error {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if o[net.JoinHostPort(host, port)] {
		return nil
	}
	return failure(fault.PermissionDenied, ReasonDomain, u, "%s is not on the list of allowed hosts; ask an operator to allow it", u.Host).
		With("domain", host)
}
