package compat

import (
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

// BuiltIn reports whether the built-in table says that an output of type from may be given to an input of type to.
func BuiltIn(from, to string) bool { return slices.Contains(seedTable[from], to) }

// Relation is a mapping: an output of type From may be given to an input of type To.
type Relation struct{ From, To string }

// Table is the built-in table together with a tenant's mappings, transitively closed.
type Table struct {
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

// NewTable computes the table of a tenant with the mappings.
func NewTable(mappings []Relation) *Table {
	table := &Table{forward: make(map[string][]typePath), backward: make(map[string][]typePath)}
	for _, from := range agentcard.SemanticTypes {
		for _, to := range agentcard.SemanticTypes {
			way, ok := strongestPath(from, to, mappings)
			if !ok {
				continue
			}
			table.forward[from] = append(table.forward[from], way)
			table.backward[to] = append(table.backward[to], way)
		}
	}
	return table
}

// strongestPath returns the strongest way by which an output of one type fits an input of another.
func strongestPath(from, to string, mappings []Relation) (way typePath, ok bool) {
	if from == to {
		return typePath{TierExact, []string{from}}, true
	}
	seed := func(at string) []string { return seedTable[at] }
	if path := shortestPath(from, to, seed); path != nil {
		return typePath{TierSeed, path}, true
	}
	path := shortestPath(from, to, func(at string) []string { return append(slices.Clone(seedTable[at]), next(mappings, at)...) })
	return typePath{TierMapping, path}, path != nil
}

// Related reports whether an output of type from may be given to an input of type to.
func (t *Table) Related(from, to string) bool {
	return slices.ContainsFunc(t.forward[from], func(w typePath) bool { return w.to() == to })
}

// UsableAs returns the types of inputs to which an output of type from may be given, beginning with its own.
func (t *Table) UsableAs(from string) []string {
	list := []string{from}
	for _, way := range t.forward[from] {
		if to := way.to(); to != from {
			list = append(list, to)
		}
	}
	return list
}

// Path returns the types on the shortest path along mappings alone, both ends included, or nil when there is none.
func Path(mappings []Relation, from, to string) []string {
	return shortestPath(from, to, func(at string) []string { return next(mappings, at) })
}

// next returns the types to which mappings lead from a type directly.
func next(mappings []Relation, at string) (types []string) {
	for _, m := range mappings {
		if m.From == at {
			types = append(types, m.To)
		}
	}
	return types
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
