package registry

import (
	"context"
	"slices"

	"github.com/quorate/quorate/registry/agentcard"
)

// Tiers: what makes an output and an input fit, the strongest first.
const (
	TierExact     = "exact"     // the same semantic type
	TierSeed      = "seed"      // the built-in table relates the types
	TierMapping   = "mapping"   // the types are related through at least one mapping of an admin
	TierStructure = "structure" // unrelated types, but the output's JSON Schema is within the input's
)

var tiers = []string{TierExact, TierSeed, TierMapping, TierStructure}

// seedTable says which input types, besides its own, an output of a type may be given to.
var seedTable = map[string][]string{
	"artifact":  {"document"},
	"reference": {"document"},
	"comment":   {"document"},
}

// typeTable is the seed table together with a tenant's mappings, transitively closed.
type typeTable struct {
	forward  map[string][]typePath // by the output's type, strongest first
	backward map[string][]typePath // by the input's type, strongest first
}

// typePath is the chain of types by which an output of one type fits an input of another.
type typePath struct {
	tier string
	path []string // from the output's type to the input's, both included
}

func (w typePath) from() string { return w.path[0] }
func (w typePath) to() string   { return w.path[len(w.path)-1] }

// typeTable reads the tenant's mappings and computes the transitive closure.
func (r *Registry) typeTable(ctx context.Context, tenant string) (*typeTable, error) {
	mappings, err := r.Mappings(ctx, tenant)
	if err != nil {
		return nil, err
	}
	return newTypeTable(mappings), nil
}

func newTypeTable(mappings []Mapping) *typeTable {
	table := &typeTable{forward: make(map[string][]typePath), backward: make(map[string][]typePath)}
	all := func(at string) []string {
		next := slices.Clone(seedTable[at])
		for _, m := range mappings {
			if m.From == at {
				next = append(next, m.To)
			}
		}
		return next
	}
	for _, from := range agentcard.SemanticTypes {
		for _, to := range agentcard.SemanticTypes {
			way, ok := strongestPath(from, to, all)
			if !ok {
				continue
			}
			table.forward[from] = append(table.forward[from], way)
			table.backward[to] = append(table.backward[to], way)
		}
	}
	return table
}

// strongestPath returns the strongest way by which an output of one type fits an input of another. next returns the types that may stand directly for a
// type, by the built-in table and the mappings.
func strongestPath(from, to string, next func(string) []string) (way typePath, ok bool) {
	if from == to {
		return typePath{TierExact, []string{from}}, true
	}
	seed := func(at string) []string { return seedTable[at] }
	if path := shortestPath(from, to, seed); path != nil {
		return typePath{TierSeed, path}, true
	}
	path := shortestPath(from, to, next)
	return typePath{TierMapping, path}, path != nil
}

// related reports whether an output of type from may be given to an input of type to.
func (t *typeTable) related(from, to string) bool {
	return slices.ContainsFunc(t.forward[from], func(w typePath) bool { return w.to() == to })
}

// shortestPath returns the types on the shortest path, both ends included, or nil when there is none.
func shortestPath(from, to string, next func(string) []string) []string {
	seen := map[string]bool{from: true}
	for paths := [][]string{{from}}; len(paths) > 0; paths = paths[1:] {
		path := paths[0]
		at := path[len(path)-1]
		if at == to && len(path) > 1 {
			return path
		}
		for _, step := range next(at) {
			if !seen[step] {
				seen[step] = true
				paths = append(paths, append(slices.Clone(path), step))
			}
		}
	}
	return nil
}
