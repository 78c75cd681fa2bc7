package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quorate/quorate/registry/agentcard"
)

// pairSearch walks the index in the order of results: by tier, then by the agent's own schema, then by the type, agent and schema of the other side.
// It starts directly where the page before ended.
type pairSearch struct {
	query     CompatibleQuery
	index     *portIndex // used only to remember verdicts
	types     *typeTable
	others    map[string][]*typedPort // ports of the other side, by semantic type, in order of agent and name
	producers bool                    // the agent's own side is its inputs
	limit     int
	pairs     []Pair
}

// run collects the pairs. It reports whether it stopped at the limit.
func (s *pairSearch) run(ctx context.Context, own []*typedPort) (more bool, err error) {
	for at, tier := range tiers {
		place := PairPlace{Tier: at + 1}
		for _, p := range own {
			place.Own = p.name
			for _, step := range s.steps(tier, p) {
				place.Type = step.typ
				if more, err = s.step(ctx, place, tier, p, step); more || err != nil {
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

// pairStep is one list of candidates for one schema of the agent.
type pairStep struct {
	typ  string // of the candidates
	path []string
}

// steps returns the lists of a tier in order of type.
func (s *pairSearch) steps(tier string, own *typedPort) []pairStep {
	var steps []pairStep
	switch {
	case tier != TierStructure:
		steps = s.related(tier, own.semanticType)
	case own.schema != nil:
		steps = s.unrelated(own.semanticType)
	}
	slices.SortFunc(steps, func(a, b pairStep) int { return strings.Compare(a.typ, b.typ) })
	return steps
}

// related returns the types that the table relates to own in a tier.
func (s *pairSearch) related(tier, own string) (steps []pairStep) {
	ways, other := s.types.forward[own], typePath.to
	if s.producers {
		ways, other = s.types.backward[own], typePath.from
	}
	for _, way := range ways {
		if way.tier == tier {
			steps = append(steps, pairStep{other(way), way.path})
		}
	}
	return steps
}

// unrelated returns the types that the table does not relate to own, for which only structure can tell.
func (s *pairSearch) unrelated(own string) (steps []pairStep) {
	for _, typ := range agentcard.SemanticTypes {
		from, to := own, typ
		if s.producers {
			from, to = to, from
		}
		if !s.types.related(from, to) {
			steps = append(steps, pairStep{typ: typ})
		}
	}
	return steps
}

// step collects the pairs of one list. It reports whether it reached the limit before the end of the list.
func (s *pairSearch) step(ctx context.Context, place PairPlace, tier string, own *typedPort, step pairStep) (more bool, err error) {
	others := s.others[step.typ]
	after := s.query.After
	head := after
	head.Other, head.Schema = "", ""
	switch c := place.compare(head); {
	case c < 0:
		return false, nil // the page before ended behind this list
	case c == 0:
		behind := &typedPort{agent: after.Other, name: after.Schema}
		from, found := slices.BinarySearchFunc(others, behind, (*typedPort).compare)
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
		pair, ok := s.pair(place, tier, own, other, step)
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
func (s *pairSearch) pair(place PairPlace, tier string, own, other *typedPort, step pairStep) (pair Pair, ok bool) {
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
		Place: place, Tier: tier, Path: step.path,
		Producer: output.agent, Output: output.name, OutputOf: output.semanticType,
		Consumer: input.agent, Input: input.name, InputOf: input.semanticType,
		Explanation: []string{explainTypes(tier, output, input, step.path)},
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
		pair.Explanation = append(pair.Explanation, fmt.Sprintf("The value must also meet %d validation rules of the input.", input.rules))
	}
	return pair, true
}

func explainTypes(tier string, output, input *typedPort, path []string) string {
	switch tier {
	case TierExact:
		if output.name == input.name {
			return fmt.Sprintf("Both are a %s, and both are named %s.", output.semanticType, output.name)
		}
		return fmt.Sprintf("Both are a %s.", output.semanticType)
	case TierSeed:
		return fmt.Sprintf("The built-in table takes a %s where a %s is wanted.", output.semanticType, input.semanticType)
	case TierMapping:
		return fmt.Sprintf("With mappings of the admins a %s is taken where a %s is wanted: %s.", output.semanticType, input.semanticType, strings.Join(path, " → "))
	default:
		return fmt.Sprintf("Nothing says that a %s is taken where a %s is wanted, but their structure fits.", output.semanticType, input.semanticType)
	}
}
