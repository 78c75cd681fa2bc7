package allowlist

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// ReasonFixed is the reason of a FailedPrecondition fault: the configuration has the entry, and only a restart can change that.
const ReasonFixed = "DOMAIN_FIXED"

// List is the allowlist of every tenant. It is safe for concurrent use.
type List struct {
	store Store
	fixed []Entry // of the configuration, in order
}

// New returns a List of the store's entries and of the fixed ones, which hold for every tenant. Its error names the first that
// cannot be listed.
func New(store Store, fixed ...string) (*List, error) {
	l := &List{store: store}
	for _, text := range fixed {
		domain, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("allowed hosts: %w", err)
		}
		if !l.isFixed(domain) {
			l.fixed = append(l.fixed, Entry{Domain: domain})
		}
	}
	slices.SortFunc(l.fixed, byDomain)
	return l, nil
}

// With returns a List over the same store with more fixed entries.
func (l *List) With(fixed ...string) (*List, error) {
	for _, e := range l.fixed {
		fixed = append(fixed, string(e.Domain))
	}
	return New(l.store, fixed...)
}

// Allows returns the entry that allows u for a tenant, and false when none does.
func (l *List) Allows(ctx context.Context, tenant string, u *url.URL) (Entry, bool, error) {
	return l.AllowsHost(ctx, tenant, u.Hostname(), netguard.Port(u))
}

// AllowsHost is Allows for a host and a port.
func (l *List) AllowsHost(ctx context.Context, tenant, host, port string) (Entry, bool, error) {
	domains := covering(host, port)
	if len(domains) == 0 {
		return Entry{}, false, nil
	}
	for _, e := range l.fixed {
		if slices.Contains(domains, e.Domain) {
			return e, true, nil
		}
	}
	entry, ok, err := l.store.Find(ctx, tenant, domains)
	if err != nil {
		return Entry{}, false, fmt.Errorf("look up %s in the allowlist: %w", host, err)
	}
	return entry, ok, nil
}

// Add lists a domain and reports whether it was new. Its fault is DOMAIN_INVALID.
func (l *List) Add(ctx context.Context, tenant, text, creator string) (e Entry, added bool, err error) {
	domain, err := Parse(text)
	if err != nil {
		return Entry{}, false, err
	}
	e = Entry{Domain: domain, CreateTime: time.Now().UTC().Truncate(time.Millisecond), Creator: creator}
	if l.isFixed(domain) {
		return Entry{Domain: domain}, false, nil
	}
	if added, err = l.store.Add(ctx, tenant, e); err != nil {
		return Entry{}, false, fmt.Errorf("add %s to the allowlist: %w", domain, err)
	}
	return e, added, nil
}

// Remove takes a domain off the list and reports whether it was there. Its faults are DOMAIN_INVALID and DOMAIN_FIXED.
func (l *List) Remove(ctx context.Context, tenant, text string) (domain Domain, removed bool, err error) {
	if domain, err = Parse(text); err != nil {
		return "", false, err
	}
	if l.isFixed(domain) {
		return domain, false, fault.New(fault.FailedPrecondition, ReasonFixed, "%s is allowed by the configuration; an operator has to take it out there", domain).With("domain", string(domain))
	}
	if removed, err = l.store.Remove(ctx, tenant, domain); err != nil {
		return "", false, fmt.Errorf("remove %s from the allowlist: %w", domain, err)
	}
	return domain, removed, nil
}

// List returns at most limit entries in order of Domain, after one of them; the empty one is before all.
func (l *List) List(ctx context.Context, tenant string, after Domain, limit int) ([]Entry, error) {
	entries, err := l.store.List(ctx, tenant, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list the allowlist: %w", err)
	}
	for _, e := range l.fixed {
		if e.Domain > after && !slices.ContainsFunc(entries, func(o Entry) bool { return o.Domain == e.Domain }) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, byDomain)
	return entries[:min(len(entries), limit)], nil
}

// All returns the domains of every entry of a tenant.
func (l *List) All(ctx context.Context, tenant string) ([]string, error) {
	const pageSize = 500
	domains := []string{}
	for after := Domain(""); ; {
		entries, err := l.List(ctx, tenant, after, pageSize)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			domains = append(domains, string(e.Domain))
			after = e.Domain
		}
		if len(entries) < pageSize {
			return domains, nil
		}
	}
}

func (l *List) isFixed(domain Domain) bool {
	return slices.ContainsFunc(l.fixed, func(e Entry) bool { return e.Domain == domain })
}

func byDomain(a, b Entry) int { return strings.Compare(string(a.Domain), string(b.Domain)) }
