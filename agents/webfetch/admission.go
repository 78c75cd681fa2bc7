package webfetch

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// Gate makes a browser's connections during one fetch. It allows only those that the fetch itself could make.
type Gate struct {
	fetcher *Fetcher
	plan    plan
}

// Dial connects to host and port, for a page or one of its resources, if the allowlist and the guard admit them. Its errors are faults, except when ctx
// is canceled.
func (g Gate) Dial(ctx context.Context, host, port string) (net.Conn, error) {
	u := &url.URL{Scheme: "https", Host: net.JoinHostPort(host, port)}
	if err := g.fetcher.policy.CheckURL(u); err != nil {
		return nil, withURL(u, err)
	}
	if err := g.fetcher.admitHost(ctx, g.plan, u, host, port); err != nil {
		return nil, err
	}
	conn, err := g.fetcher.web.network.DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, g.plan.networkError(ctx, u, ReasonNetwork, err)
	}
	return conn, nil
}

// admit returns a fault unless the guard and the allowlist admit u. It does not resolve the host.
func (f *Fetcher) admit(ctx context.Context, p plan, u *url.URL) error {
	if err := f.policy.CheckURL(u); err != nil {
		return withURL(u, err)
	}
	return f.admitHost(ctx, p, u, u.Hostname(), netguard.Port(u))
}

// webPorts are the ports that any allowed host may be read on; any other port must be listed with its host.
var webPorts = []string{"80", "443", "8080", "8443"}

// admitHost returns a fault unless the allowlist admits the host, and the port is one of webPorts or listed.
func (f *Fetcher) admitHost(ctx context.Context, p plan, u *url.URL, host, port string) error {
	entry, listed, err := f.allowlist.AllowsHost(ctx, p.Tenant, host, port)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", Redact(u), err)
	}
	if !listed && (!f.open || p.profile.Allowlist) {
		return failure(fault.PermissionDenied, ReasonDomain, u, "%s is not on the list of allowed hosts; ask an operator to allow it", u.Host).With("domain", host)
	}
	number, _ := strconv.Atoi(port)
	switch {
	case slices.Contains(webPorts, port), slices.Contains(f.policy.AllowPorts, number), listed && strings.HasSuffix(string(entry.Domain), ":"+port):
		return nil
	case slices.ContainsFunc(f.policy.AllowOrigins, func(o string) bool { return strings.EqualFold(o, net.JoinHostPort(host, port)) }):
		return nil
	}
	return failure(fault.PermissionDenied, ReasonPort, u, "port %s is not one of web servers; an operator can list %s with it", port, host)
}

// Test returns the allowlist entry by which req's URL may be fetched, or "" when every public host may be. It neither resolves the host nor opens a
// connection. The zero Failure means that it may.
func (f *Fetcher) Test(ctx context.Context, req Request) (entry string, refused Failure) {
	p, err := f.plan(req)
	var u *url.URL
	if err == nil {
		u, err = parseURL(req.URL)
	}
	if err == nil {
		err = f.admit(ctx, p, u)
	}
	if err != nil {
		refused, _ = explain(err, p.profile, p.language)
		return "", refused
	}
	if e, ok, err := f.allowlist.Allows(ctx, p.Tenant, u); ok && err == nil {
		entry = string(e.Domain)
	}
	return entry, Failure{}
}
