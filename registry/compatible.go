package registry

import (
	"context"
	"slices"
	"strings"

	"github.com/quorate/quorate/registry/compat"
)

// CompatibleQuery says for which agent FindCompatible looks, and for what.
type CompatibleQuery struct {
	compat.Query

	Agent     string
	Available bool // only agents that are available now
	Limit     int  // maximum number of pairs, 1 to 1,000
}

// Pair is a compat.Pair with the current status of the agent that was found.
type Pair struct {
	compat.Pair

	Status Status
}

// FindCompatible returns the pairs of an agent with others, the strongest tier first, and whether there may be more. It reflects every change that
// was made before the call. When both sides have a JSON Schema, they fit only if the output's schema is within the input's, whatever their semantic
// types are.
func (r *Registry) FindCompatible(ctx context.Context, tenant string, q CompatibleQuery) (pairs []Pair, more bool, err error) {
	if err := q.Validate(); err != nil {
		return nil, false, err
	}
	if err := r.directory.Sync(ctx, tenant); err != nil {
		return nil, false, err
	}
	if q.Available {
		if _, err := r.directory.refreshStatuses(ctx, r.directory.tenant(tenant)); err != nil {
			return nil, false, err
		}
	}
	search, err := r.directory.compatible(tenant, &q)
	if err != nil {
		return nil, false, err
	}
	limit := clampLimit(q.Limit)
	for more = true; more && len(pairs) <= limit; {
		var found []compat.Pair
		if found, more, err = search.Next(ctx, limit+1-len(pairs)); err != nil {
			return nil, false, err
		}
		if pairs, err = r.appendPairs(ctx, pairs, tenant, &q, found); err != nil {
			return nil, false, err
		}
	}
	return pairs[:min(len(pairs), limit)], len(pairs) > limit, nil
}

// appendPairs adds those that were found and that the query wants, with the status that their agents have now.
func (r *Registry) appendPairs(ctx context.Context, pairs []Pair, tenant string, q *CompatibleQuery, found []compat.Pair) ([]Pair, error) {
	keys := make([]Key, len(found))
	for i := range found {
		keys[i] = Key{tenant, found[i].Place.Other}
	}
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	pulses, err := r.store.Pulses(ctx, slices.Compact(keys)...)
	if err != nil {
		return nil, err
	}
	now := r.now()
	for _, p := range found {
		status := pulses[Key{tenant, p.Place.Other}].At(now)
		if !q.Available || status.Status == StatusAvailable {
			pairs = append(pairs, Pair{p, status})
		}
	}
	return pairs, nil
}

// compatible begins a search in the directory's current content. The directory is not locked while the search goes on.
func (d *Directory) compatible(tenant string, q *CompatibleQuery) (*compat.Search, error) {
	s := d.tenant(tenant)
	s.mu.RLock()
	defer s.mu.RUnlock()
	m := s.members[q.Agent]
	if m == nil {
		return nil, Missing(Key{tenant, q.Agent})
	}
	now := d.registry.now()
	// Many may fit, so only those are compared and read that seem to be available.
	wanted := func(agent string) bool {
		return !q.Available || s.members[agent].pulse.At(now).Status == StatusAvailable
	}
	return s.ports.Search(q.Agent, &m.agent.Metadata, q.Query, wanted)
}
