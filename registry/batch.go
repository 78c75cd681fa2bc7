package registry

import "context"

// BatchAgents returns the named agents in the order of names, with their status. If one does not exist, it returns a NotFound fault with the reason
// AGENT_NOT_FOUND for the first such name.
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

// named returns those of the named agents that exist, with their current status.
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
