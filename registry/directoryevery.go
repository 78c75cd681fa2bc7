package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// afterAll sorts behind all agent names.
const afterAll = "~"

// every calls see for each agent of all tenants with its pulse, in no particular order; changes by other replicas may be missing for as long as behind. The
// agent is read-only and without RawCard; see must not call the directory. Tenants that cannot be read are skipped and reported in the error at the end.
func (d *Directory) every(ctx context.Context, behind time.Duration, see func(a *Agent, p Pulse)) error {
	names, err := d.registry.tenants(ctx)
	if err != nil {
		return err
	}
	tenants := make([]*tenantDirectory, len(names))
	for i, name := range names {
		tenants[i] = d.tenant(name)
	}
	errs := atATime(tenants, func(s *tenantDirectory) error { return d.refresh(ctx, s, behind) })
	var failed []error
	for i, s := range tenants {
		if errs[i] != nil {
			failed = append(failed, fmt.Errorf("reading the agents of tenant %q: %w", s.tenant, errs[i]))
			continue
		}
		s.mu.RLock()
		for _, m := range s.members {
			see(m.agent, m.pulse)
		}
		s.mu.RUnlock()
	}
	return errors.Join(failed...)
}

// tenants returns the tenants that have agents. It reads keys only, and for each tenant little more than one page.
func (r *Registry) tenants(ctx context.Context) (tenants []string, err error) {
	for q := (Query{Limit: maxLimit, Bare: true}); ; {
		keys, err := r.store.Agents(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range keys {
			tenants = append(tenants, keys[i].Tenant)
		}
		tenants = slices.Compact(tenants)
		if len(keys) < q.Limit {
			return tenants, nil
		}
		q.After = Key{tenants[len(tenants)-1], afterAll}
	}
}

// knownAgent returns an agent as every sees it, or the fault of Missing.
func (r *Registry) knownAgent(ctx context.Context, key Key) (*Agent, error) {
	if err := r.directory.refresh(ctx, r.directory.tenant(key.Tenant), maxUnasked); err != nil {
		return nil, err
	}
	if a, _, ok := r.directory.Peek(key.Tenant, key.Name); ok {
		return a, nil
	}
	return nil, Missing(key)
}
