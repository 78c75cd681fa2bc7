package registry

import "context"

// BatchAgents returns the agents of the names, in their order, with their status. The first name that is nobody's is a NotFound
// fault with the reason AGENT_NOT_FOUND.
func (r *Registry) BatchAgents(ctx context.Context, tenant string, names []string) ([]Agent, error) {
	found, err := r.named(ctx, tenant, names)
	if err != nil {
		return nil, err
	}
	agents := make([]Agent, len(names))
	for i, name := range names {
		a := found[name]
		if a == nil {
			return nil, Missing(Key{tenant, name})
		}
		agents[i] = *a
	}
	return agents, nil
}

// named returns the tenant's agents of the names, as far as they are there, with the status of this moment.
func (r *Registry) named(ctx context.Context, tenant string, names []string) (map[string]*Agent, error) {
	if len(names) == 0 {
		return nil, nil
	}
	agents, err := r.agents(ctx, Query{Tenant: tenant, Names: names, Limit: len(names)})
	found := make(map[string]*Agent, len(agents))
	for i := range agents {
		found[agents[i].Name] = &agents[i]
	}
	return found, err
}
