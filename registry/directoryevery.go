package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// afterAll sorts behind all agent names.
const afterAll = "~"

// every calls see for each agent of all tenants with its pulse, after a Sync of each tenant, in no particular order. The agent is read-only and
// without RawCard; see must not call the directory. Tenants that cannot be read are skipped and reported in the error at the end.
func (d *Directory) every(ctx context.Context, see func(a *Agent, p Pulse)) error {
	names, err := d.registry.tenants(ctx)
	if err != nil {
		return err
	}
	tenants := make([]*tenantDirectory, len(names))
	for i, name := range names {
		tenants[i] = d.tenant(name)
	}
	errs := atATime(tenants, func(s *tenantDirectory) error { return d.sync(ctx, s) })
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

// knownAgent returns an agent from the directory after a refresh, or the fault of Missing.
func (r *Registry) knownAgent(ctx context.Context, key Key) (*Agent, error) {
	if err := r.directory.refresh(ctx, r.directory.tenant(key.Tenant)); err != nil {
		return nil, err
	}
	if a, _, ok := r.directory.Peek(key.Tenant, key.Name); ok {
		return a, nil
	}
	return nil, Missing(key)
}
