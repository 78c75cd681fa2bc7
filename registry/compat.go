package registry

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// Directions of FindCompatible.
const (
	Consumers = "consumers" // agents that accept what this agent produces
	Producers = "producers" // agents that produce what this agent needs
)

// CompatibleQuery says for which agent FindCompatible looks, and for what.
type CompatibleQuery struct {
	Agent     string
	Direction string    // Consumers or Producers; empty is Consumers
	Schema    string    // only this output or input of the agent; empty means all
	MinTier   string    // the weakest tier to return; empty is TierStructure
	Available bool      // only agents that are available now
	After     PairPlace // continue behind this place; the zero place starts at the beginning
	Limit     int       // maximum number of pairs, 1 to 1,000
}

// PairPlace is the position of a pair in the order of results.
type PairPlace struct {
	Tier   int    `json:"t"`           // 1 is the strongest
	Own    string `json:"o,omitempty"` // the schema of the agent that was asked about
	Type   string `json:"y,omitempty"` // semantic type of the other agent's schema
	Other  string `json:"a,omitempty"` // the other agent
	Schema string `json:"s,omitempty"` // its schema
}

func (p PairPlace) compare(q PairPlace) int {
	return cmp.Or(cmp.Compare(p.Tier, q.Tier), strings.Compare(p.Own, q.Own), strings.Compare(p.Type, q.Type),
		strings.Compare(p.Other, q.Other), strings.Compare(p.Schema, q.Schema))
}

// Pair is an output of one agent and an input of another that fit together.
type Pair struct {
	Place                      PairPlace
	Producer, Output, OutputOf string // OutputOf is the output's semantic type
	Consumer, Input, InputOf   string // InputOf is the input's semantic type
	Tier                       string
	Path                       []string // the types on the way, both ends included; nil for TierStructure
	Explanation                []string // in sentences
	Status                     Status   // of the agent that was found
}

// FindCompatible returns the pairs of an agent with others, the strongest tier first, and whether there may be more. It reflects every change that
// was made before the call. When both sides have a JSON Schema, they fit only if the output's schema is within the input's, whatever their semantic
// types are.
func (r *Registry) FindCompatible(ctx context.Context, tenant string, q CompatibleQuery) (pairs []Pair, more bool, err error) {
	if q.Direction != "" && q.Direction != Consumers && q.Direction != Producers {
		return nil, false, fault.Invalid("direction", "VALIDATION_FAILED", "%q is not one of consumers, producers", fault.Clip(q.Direction))
	}
	if q.MinTier != "" && !slices.Contains(tiers, q.MinTier) {
		return nil, false, fault.Invalid("min_tier", "VALIDATION_FAILED", "%q is not one of %s", fault.Clip(q.MinTier), strings.Join(tiers, ", "))
	}
	if err := r.directory.Sync(ctx, tenant); err != nil {
		return nil, false, err
	}
	if q.Available {
		if _, err := r.directory.refreshStatuses(ctx, r.directory.tenant(tenant)); err != nil {
			return nil, false, err
		}
	}
	limit := clampLimit(q.Limit)
	for {
		found, end, err := r.directory.pairs(ctx, tenant, q, limit+1-len(pairs))
		if err != nil {
			return nil, false, err
		}
		if len(found) > 0 {
			q.After = found[len(found)-1].Place
		}
		if found, err = r.withPairStatus(ctx, tenant, q, found); err != nil {
			return nil, false, err
		}
		pairs = append(pairs, found...)
		if len(pairs) > limit {
			return pairs[:limit], true, nil
		}
		if end {
			return pairs, false, nil
		}
	}
}

// withPairStatus gives the pairs their current status and drops those that the query does not want.
func (r *Registry) withPairStatus(ctx context.Context, tenant string, q CompatibleQuery, pairs []Pair) ([]Pair, error) {
	keys := make([]Key, len(pairs))
	for i := range pairs {
		keys[i] = Key{tenant, pairs[i].Place.Other}
	}
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	pulses, err := r.store.Pulses(ctx, slices.Compact(keys)...)
	if err != nil {
		return nil, err
	}
	now := r.now()
	kept := pairs[:0]
	for _, p := range pairs {
		p.Status = pulses[Key{tenant, p.Place.Other}].At(now)
		if !q.Available || p.Status.Status == StatusAvailable {
			kept = append(kept, p)
		}
	}
	return kept, nil
}

// pairs returns at most limit pairs behind q.After, and whether those are all. It does not hold the directory's lock while it compares schemas, which
// can take long.
func (d *Directory) pairs(ctx context.Context, tenant string, q CompatibleQuery, limit int) (found []Pair, end bool, err error) {
	search, own, err := d.pairSearch(tenant, q)
	if err != nil {
		return nil, false, err
	}
	search.limit = limit
	more, err := search.run(ctx, own)
	return search.pairs, !more, err
}

// pairSearch returns a search of the directory's current content, and the agent's own schemas.
func (d *Directory) pairSearch(tenant string, q CompatibleQuery) (search *pairSearch, own []*typedPort, err error) {
	s := d.tenant(tenant)
	s.mu.RLock()
	defer s.mu.RUnlock()
	m := s.members[q.Agent]
	if m == nil {
		return nil, nil, Missing(Key{tenant, q.Agent})
	}
	search = &pairSearch{query: q, index: s.ports, types: s.ports.types, producers: q.Direction == Producers, others: make(map[string][]*typedPort)}
	own, others := outputsOf(m.agent), s.ports.inputs
	if search.producers {
		own, others = inputsOf(m.agent), s.ports.outputs
	}
	for typ, list := range others {
		search.others[typ] = slices.Clone(list)
		if q.Available { // many may fit, so only those are compared and read that seem to be available
			search.others[typ] = s.availablePorts(search.others[typ], d.registry.now())
		}
	}
	if q.Schema != "" {
		own = slices.DeleteFunc(own, func(p *typedPort) bool { return p.name != q.Schema })
		if len(own) == 0 {
			return nil, nil, fault.New(fault.NotFound, "SCHEMA_NOT_FOUND", "agent %q has no such schema as %q", q.Agent, fault.Clip(q.Schema))
		}
	}
	slices.SortFunc(own, (*typedPort).compare)
	return search, own, nil
}

// availablePorts returns those of the ports whose agents are available. It may change the list.
func (s *tenantDirectory) availablePorts(list []*typedPort, now time.Time) []*typedPort {
	return slices.DeleteFunc(list, func(p *typedPort) bool { return s.members[p.agent].pulse.At(now).Status != StatusAvailable })
}
