package registry

import "context"

// BatchAgents returns the agents of the names, in their order, with their status. The first name that is nobody's is a NotFound
// fault with the reason AGENT_NOT_FOUND.
func (r *Registry) BatchAgents(ctx context.Context, tenant string, names []string) ([]Agent, error) {
	records := make([]Record, len(names))
	for i, name := range names {
		var err error
		if records[i], err = r.store.Agent(ctx, Key{tenant, name}); err != nil {
			return nil, err
		}
	}
	return r.withStatus(ctx, records)
}
