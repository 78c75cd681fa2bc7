package router_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// TestAStepGoesToWhoeverCanStandIn has "first", of a chain of that and "last", take an idea and make a story, which "last" takes, and a style of the caller. Others
// may stand in.
func TestAStepGoesToWhoeverCanStandIn(t *testing.T) {
	t.Parallel()
	with := func(a registry.Agent, how func(*registry.Agent)) registry.Agent {
		how(&a)
		return a
	}
	free := func(name string) registry.Agent { return maker(name, "idea:comment", "story:reference") }
	down := func(a *registry.Agent) { a.Status.Status = registry.StatusError }
	full := func(a *registry.Agent) { a.Status.InFlight, a.Status.Capacity = 2, 2 }
	narrow := func(kind string) func(*registry.Agent) {
		return func(a *registry.Agent) { a.Metadata.OutputSchemas[0].JSONSchema = map[string]any{"type": kind} }
	}
	var many fleet
	for name := range strings.SplitSeq("a b c d e f g h i j k l", " ") {
		many = append(many, free(name))
	}
	sometimes := func(a *registry.Agent) { a.Metadata.OutputSchemas[0].Guaranteed = false }
	chain := []orchestrator.Link{
		{Agent: "first", Inputs: typed("idea:comment"), Output: typed("story:reference")[0], Takes: []orchestrator.Take{{As: "idea"}}},
		{Agent: "last", Inputs: typed("story:reference style:comment"), Output: typed("code:artifact")[0], Takes: []orchestrator.Take{{As: "story", Item: "story", From: 1}, {As: "style"}}},
	}
	last := maker("last", "story:reference style:comment", "code:artifact")
	both := maker("last", "idea:comment", "story:reference code:artifact")
	picky, strict := maker("last", "story:comment style:comment", "code:artifact"), maker("last", "story:reference style:comment", "code:artifact")
	strict.Metadata.InputSchemas[0].JSONSchema = map[string]any{"type": "object"}
	for name, test := range map[string]struct {
		agents     fleet
		chosen     string
		candidates string
	}{
		"its own agent":                     {fleet{free("first"), free("other"), last}, "first", "first other"},
		"its own, with nobody else":         {fleet{free("first"), last}, "first", "first"},
		"another, since its own is down":    {fleet{with(free("first"), down), free("other"), last}, "other", "other"},
		"another, since its own is gone":    {fleet{free("other"), last}, "other", "other"},
		"nobody":                            {fleet{with(free("first"), down), last}, "", ""},
		"no agent of the chain":             {fleet{with(free("first"), down), both}, "", ""},
		"none that does not always make it": {fleet{with(free("first"), down), with(free("other"), sometimes), last}, "", ""},
		"none that requires more":           {fleet{with(free("first"), down), maker("other", "idea:comment style:document", "story:reference"), last}, "", ""},
		"none whose output nobody can use":  {fleet{with(free("first"), down), maker("other", "idea:comment", "story:reference"), picky}, "", ""},
		"whom those that are there can use": {fleet{with(free("first"), down), free("other")}, "other", "other"},
		"one whose schema is taken, behind one whose is not": {
			fleet{with(free("first"), down), with(free("fails"), narrow("string")), with(free("fits"), narrow("object")), strict}, "fits", "fits",
		},
		"one of whose output nothing is known": {fleet{with(free("first"), down), free("other"), strict}, "other", "other"},
		"the best of several":                  {fleet{with(free("first"), down), free("b"), free("a"), with(free("c"), full), last}, "a", "a b c"},
		"the best of full ones":                {fleet{with(free("first"), down), with(free("b"), full), with(free("a"), full), last}, "a", "a b"},
		"the best of many":                     {append(many, with(free("first"), down), last), "a", "a b c d e f g h i j"},
		"a full one rather than nobody":        {fleet{with(free("first"), down), with(free("other"), full), last}, "other", "other"},
		"a full one, beside an uncertain":      {fleet{with(free("first"), down), with(free("other"), full), with(free("unsure"), sometimes), last}, "other", "other"},
		"a full one, beside one of a chain":    {fleet{with(free("first"), down), with(free("other"), full), both}, "other", "other"},
		"one that has room, beside full one":   {fleet{with(free("first"), down), with(free("other"), full), free("roomy"), last}, "roomy", "roomy other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := newRouter(test.agents...).ResolveStep(t.Context(), tenant, chain, 0)
			d := got.Decision
			if d.Chosen != test.chosen || got.Agent.Name != test.chosen || strings.Join(names(d.Candidates), " ") != test.candidates {
				t.Fatalf("ResolveStep() = %q with the candidates %v, %v, want %q of %q", d.Chosen, names(d.Candidates), err, test.chosen, test.candidates)
			}
			checkStandIn(t, got.Decision, err)
		})
	}
}

// checkStandIn wants a decision about a step of "first" to say who does it, and why.
func checkStandIn(t *testing.T, d orchestrator.Decision, err error) {
	t.Helper()
	switch d.Chosen {
	case "":
		if err == nil || d.Refused == "" || fault.KindOf(err) == fault.Internal {
			t.Errorf("the decision is %+v, %v, want it refused", d, err)
		}
	case "first":
		if err != nil || d.Candidates[0].Reasons[0] != "its step in the chain" {
			t.Errorf("the reasons are %v, %v, want that the step is its own", d.Candidates[0].Reasons, err)
		}
	default:
		if err != nil || d.Refused != "" || codes(d.Rejected)["first"] == "" || !slices.Contains(d.Candidates[0].Reasons, "taken since first cannot take it") {
			t.Errorf("the decision is %+v, %v, want it to say why first was rejected, and why another one was taken", d, err)
		}
	}
}
