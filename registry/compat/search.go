package compat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// Search walks an index in the order of results: by tier, then by the agent's own schema, then by the type, agent and schema of the other side. It starts
// directly where the page before ended. It sees the index as it was when the search began.
type Search struct {
	query     Query
	index     *Index // used only to remember verdicts
	types     *Table
	own       []*port
	others    map[string][]*port // ports of the other side, by semantic type, in order of agent and name
	producers bool               // the agent's own side is its inputs
	limit     int
	pairs     []Pair
}

// Search begins a search for what fits the outputs or inputs of an agent. wanted says which other agents are looked at. If the agent has no schema of the name
// that the query asks for, the result is a NotFound fault with the reason SCHEMA_NOT_FOUND.
func (x *Index) Search(agent string, m *agentcard.Metadata, q Query, wanted func(agent string) bool) (*Search, error) {
	s := &Search{query: q, index: x, types: x.Types, own: outputsOf(agent, m), producers: q.Direction == Producers, others: make(map[string][]*port)}
	others := x.inputs
	if s.producers {
		s.own, others = inputsOf(agent, m), x.outputs
	}
	for typ, list := range others {
		s.others[typ] = slices.DeleteFunc(slices.Clone(list), func(p *port) bool { return !wanted(p.agent) })
	}
	if q.Schema != "" {
		s.own = slices.DeleteFunc(s.own, func(p *port) bool { return p.name != q.Schema })
		if len(s.own) == 0 {
			return nil, fault.New(fault.NotFound, "SCHEMA_NOT_FOUND", "agent %q has no such schema as %q", agent, fault.Clip(q.Schema))
		}
	}
	slices.SortFunc(s.own, (*port).compare)
	return s, nil
}

// Next returns at most limit pairs behind those that it returned before, and whether there may be more. It compares schemas, which can take long, until ctx ends.
func (s *Search) Next(ctx context.Context, limit int) (pairs []Pair, more bool, err error) {
	s.limit, s.pairs = limit, nil
	more, err = s.run(ctx)
	if len(s.pairs) > 0 {
		s.query.After = s.pairs[len(s.pairs)-1].Place
	}
	return s.pairs, more, err
}

// run collects the pairs. It reports whether it stopped at the limit.
func (s *Search) run(ctx context.Context) (more bool, err error) {
	for at, tier := range tiers {
		place := Place{Tier: at + 1}
		for _, p := range s.own {
			place.Own = p.name
			for _, list := range s.lists(tier, p) {
				place.Type = list.typ
				if more, err = s.take(ctx, place, tier, p, list); more || err != nil {
					return more, err
				}
			}
		}
		if tier == s.query.MinTier {
			break
		}
	}
	return false, nil
}

// candidates are the ports of one type that may fit one schema of the agent.
type candidates struct {
	typ  string
	path []string
}

// lists returns the lists of a tier in order of type.
func (s *Search) lists(tier string, own *port) []candidates {
	var lists []candidates
	switch {
	case tier != TierStructure:
		lists = s.related(tier, own.semanticType)
	case own.schema != nil:
		lists = s.unrelated(own.semanticType)
	}
	slices.SortFunc(lists, func(a, b candidates) int { return strings.Compare(a.typ, b.typ) })
	return lists
}

// related returns the types that the table relates to own in a tier.
func (s *Search) related(tier, own string) (lists []candidates) {
	ways, other := s.types.forward[own], typePath.to
	if s.producers {
		ways, other = s.types.backward[own], typePath.from
	}
	for _, way := range ways {
		if way.tier == tier {
			lists = append(lists, candidates{other(way), way.path})
		}
	}
	return lists
}

// unrelated returns the types that the table does not relate to own, for which only structure can tell.
func (s *Search) unrelated(own string) (lists []candidates) {
	for _, typ := range agentcard.SemanticTypes {
		from, to := own, typ
		if s.producers {
			from, to = to, from
		}
		if !s.types.Related(from, to) {
			lists = append(lists, candidates{typ: typ})
		}
	}
	return lists
}

// take collects the pairs of one list. It reports whether it reached the limit before the end of the list.
func (s *Search) take(ctx context.Context, place Place, tier string, own *port, list candidates) (more bool, err error) {
	others := s.others[list.typ]
	after := s.query.After
	head := after
	head.Other, head.Schema = "", ""
	switch c := place.compare(head); {
	case c < 0:
		return false, nil // the page before ended behind this list
	case c == 0:
		behind := &port{agent: after.Other, name: after.Schema}
		from, found := slices.BinarySearchFunc(others, behind, (*port).compare)
		if found {
			from++
		}
		others = others[from:]
	}
	for _, other := range others {
		if other.agent == own.agent {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		place.Other, place.Schema = other.agent, other.name
		pair, ok := s.pair(place, tier, own, other, list.path)
		if !ok {
			continue
		}
		if len(s.pairs) == s.limit {
			return true, nil
		}
		s.pairs = append(s.pairs, pair)
	}
	return false, nil
}

// pair returns the pair of two ports and why they fit. If they do not, ok is false.
func (s *Search) pair(place Place, tier string, own, other *port, path []string) (pair Pair, ok bool) {
	output, input := own, other
	if s.producers {
		output, input = other, own
	}
	var compared verdict
	both := output.schema != nil && input.schema != nil
	if both {
		compared = s.index.within(output, input)
	}
	if (both || tier == TierStructure) && !compared.fits {
		return Pair{}, false
	}
	pair = Pair{
		Place: place, Tier: tier, Path: path,
		Producer: output.agent, Output: output.name, OutputOf: output.semanticType,
		Consumer: input.agent, Input: input.name, InputOf: input.semanticType,
		Explanation: []string{explainTypes(tier, output, input, path)},
	}
	switch {
	case both:
		pair.Explanation = append(pair.Explanation, "Every value of the output's JSON Schema fits the input's: "+compared.why+".")
	case output.schema != nil || input.schema != nil:
		pair.Explanation = append(pair.Explanation, "Only one side has a JSON Schema, so their structure was not compared.")
	}
	if input.sure && !output.sure {
		pair.Explanation = append(pair.Explanation, "The input is required, and the output is produced sometimes only.")
	}
	if input.rules > 0 {
		pair.Explanation = append(pair.Explanation, fmt.Sprintf("The value must also meet the validation rules of the input, %d in all.", input.rules))
	}
	return pair, true
}

func explainTypes(tier string, output, input *port, path []string) string {
	switch tier {
	case TierExact:
		if output.name == input.name {
			return fmt.Sprintf("Both have the type %s, and both are named %s.", output.semanticType, output.name)
		}
		return fmt.Sprintf("Both have the type %s.", output.semanticType)
	case TierSeed:
		return fmt.Sprintf("The built-in table takes the type %s where %s is wanted.", output.semanticType, input.semanticType)
	case TierMapping:
		return fmt.Sprintf("With mappings of the admins the type %s is taken where %s is wanted: %s.", output.semanticType, input.semanticType, strings.Join(path, " → "))
	default:
		return fmt.Sprintf("Nothing says that the type %s is taken where %s is wanted, but their structure fits.", output.semanticType, input.semanticType)
	}
}
