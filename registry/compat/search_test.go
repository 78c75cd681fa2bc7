package compat_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/compat"
)

// agents returns agents with random inputs and outputs, some of which have a JSON Schema.
func agents(n int) map[string]*agentcard.Metadata {
	random := rand.New(rand.NewPCG(3, 4))
	schemas := []map[string]any{nil, {"type": "string"}, {"type": "string", "maxLength": 3.0}, {"type": "object"}}
	all := make(map[string]*agentcard.Metadata, n)
	for i := range n {
		m := &agentcard.Metadata{}
		for j := range random.IntN(4) {
			typ, js := agentcard.SemanticTypes[random.IntN(len(agentcard.SemanticTypes))], schemas[random.IntN(len(schemas))]
			m.OutputSchemas = append(m.OutputSchemas, agentcard.OutputSchema{Name: fmt.Sprintf("out%d", j), SemanticType: typ, JSONSchema: js})
			typ, js = agentcard.SemanticTypes[random.IntN(len(agentcard.SemanticTypes))], schemas[random.IntN(len(schemas))]
			m.InputSchemas = append(m.InputSchemas, agentcard.InputSchema{Name: fmt.Sprintf("in%d", j), SemanticType: typ, JSONSchema: js})
		}
		all[fmt.Sprintf("agent%02d", i)] = m
	}
	return all
}

func indexed(all map[string]*agentcard.Metadata, mappings ...compat.Relation) *compat.Index {
	x := compat.NewIndex()
	x.Types = compat.NewTable(mappings)
	for agent, m := range all {
		x.Add(agent, m)
	}
	return x
}

func anyone(string) bool { return true }

// pairs returns all pairs of a query, read in pages of the given size, each by a search of its own.
func pairs(t *testing.T, x *compat.Index, agent string, m *agentcard.Metadata, q compat.Query, page int) (all []compat.Pair) {
	t.Helper()
	for more := true; more; {
		search, err := x.Search(agent, m, q, anyone)
		if err != nil {
			t.Fatalf("Search() = %v, want no error", err)
		}
		var found []compat.Pair
		if found, more, err = search.Next(t.Context(), page); err != nil || more && len(found) != page {
			t.Fatalf("Next() = %d pairs, more %t, %v, want a full page or the last one", len(found), more, err)
		}
		if all = append(all, found...); more {
			q.After = found[page-1].Place
		}
	}
	return all
}

// TestBothSidesFindTheSamePairs: what is a consumer for one agent has it for a producer, and pages of any size have the same pairs in the same order.
func TestBothSidesFindTheSamePairs(t *testing.T) {
	t.Parallel()
	all := agents(30)
	x := indexed(all, compat.Relation{From: "document", To: "collection"})
	seen := map[string]map[string]bool{compat.Consumers: {}, compat.Producers: {}}
	tiers := make(map[string]int)
	for direction, lines := range seen {
		for agent, m := range all {
			whole := pairs(t, x, agent, m, compat.Query{Direction: direction}, 10_000)
			if diff := cmp.Diff(whole, pairs(t, x, agent, m, compat.Query{Direction: direction}, 7)); diff != "" {
				t.Fatalf("the %s of %s in pages, difference (-whole +pages):\n%s", direction, agent, diff)
			}
			strong := slices.DeleteFunc(slices.Clone(whole), func(p compat.Pair) bool { return p.Tier == compat.TierStructure || p.Tier == compat.TierMapping })
			if diff := cmp.Diff(strong, pairs(t, x, agent, m, compat.Query{Direction: direction, MinTier: compat.TierSeed}, 10_000)); diff != "" {
				t.Fatalf("the strong %s of %s, difference (-want +got):\n%s", direction, agent, diff)
			}
			for _, p := range whole {
				lines[fmt.Sprintf("%s %s.%s > %s.%s %v %v", p.Tier, p.Producer, p.Output, p.Consumer, p.Input, p.Path, p.Explanation)] = true
				tiers[p.Tier]++
			}
		}
	}
	if diff := cmp.Diff(seen[compat.Consumers], seen[compat.Producers]); diff != "" || len(tiers) != 4 {
		t.Errorf("pairs in tiers %v, want all four; difference (-as consumers +as producers):\n%s", tiers, diff)
	}
}

// TestAnIndexForgetsWhatIsRemoved compares an index from which agents were removed with one that never had them, and asks for one schema.
func TestAnIndexForgetsWhatIsRemoved(t *testing.T) {
	t.Parallel()
	all, gone := agents(20), agents(40)
	x := indexed(gone)
	for agent, m := range gone {
		if all[agent] == nil {
			x.Remove(agent, m)
		}
	}
	asking := &agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: "made", SemanticType: "document"}, {Name: "other", SemanticType: "comment"}}}
	got, want := pairs(t, x, "asking", asking, compat.Query{Schema: "made"}, 1000), pairs(t, indexed(all), "asking", asking, compat.Query{Schema: "made"}, 1000)
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 || want[0].Output != "made" {
		t.Errorf("%d pairs after others were removed, difference (-want +got):\n%s", len(want), diff)
	}
	if _, err := x.Search("asking", asking, compat.Query{Schema: "unknown"}, anyone); fault.ReasonOf(err) != "SCHEMA_NOT_FOUND" {
		t.Errorf("Search() for an unknown schema = %v, want SCHEMA_NOT_FOUND", err)
	}
}

func TestTypesAreRelatedAlongMappings(t *testing.T) {
	t.Parallel()
	mappings := []compat.Relation{{From: "document", To: "collection"}, {From: "collection", To: "reference"}}
	table := compat.NewTable(mappings)
	if got, want := table.UsableAs("comment"), []string{"comment", "document", "collection", "reference"}; !slices.Equal(got, want) {
		t.Errorf("UsableAs(comment) = %v, want %v", got, want)
	}
	if table.Related("document", "comment") || !table.Related("comment", "reference") || compat.NewTable(nil).Related("comment", "reference") {
		t.Error("Related() does not go along the mappings in their direction only")
	}
	if got, want := compat.Path(mappings, "document", "reference"), []string{"document", "collection", "reference"}; !slices.Equal(got, want) {
		t.Errorf("Path() = %v, want %v", got, want)
	}
	if got := compat.Path(mappings, "comment", "document"); got != nil { // that is in the built-in table only
		t.Errorf("Path(comment, document) = %v, want none", got)
	}
}
