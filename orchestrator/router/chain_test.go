package router_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestAChainIsFoundBehindAnyNumberOfAgentsThatCannotTakeTasks(t *testing.T) {
	t.Parallel()
	agents := fleet{maker("last", "stories:reference", "code:artifact"), maker("the-one", "idea:comment", "stories:reference")}
	for i := range 100 {
		down := maker(fmt.Sprintf("down-%02d", i), "idea:comment", "stories:reference")
		down.Status.Status = registry.StatusError
		agents = append(agents, down)
	}
	got, err := newRouter(agents...).Resolve(t.Context(), tenant, contract("idea:comment", "code:"))
	if list := got.Decision.Chain; err != nil || len(list) != 2 || list[0].Agent != "the-one" {
		t.Errorf("Resolve() = %+v, %v, want a chain of the-one and last", list, err)
	}
}

// TestAChainWaitsForAgentsThatAreAway has a chain be refused for now, and names who keeps it from being one.
func TestAChainWaitsForAgentsThatAreAway(t *testing.T) {
	t.Parallel()
	begins, ends := maker("first", "idea:comment", "stories:reference"), maker("last", "stories:reference", "code:artifact")
	down, never, broken := begins, begins, ends
	down.Status = registry.Status{Status: registry.StatusUnavailable, ErrorMessage: "not heard of since noon"}
	never.Status.Status = registry.StatusUnknown
	broken.Status.Status = registry.StatusError
	for why, d := range map[string]router.Directory{
		"first: it is unavailable: not heard of since noon":                       fleet{down, ends},
		"first: it was never heard of and is used only when named":                fleet{never, ends},
		"last: it is in error":                                                    fleet{begins, broken},
		"first: it is unavailable: not heard of since noon; last: it is in error": fleet{down, broken},
		"last: it is not registered any more":                                     &stale{fleet: fleet{begins, ends}, now: fleet{begins}},
	} {
		_, err := router.New(router.Config{Directory: d, Intn: first}).Resolve(t.Context(), tenant, contract("idea:comment", "code:"))
		if f := fault.From(err); f.Kind != fault.Unavailable || f.Reason != router.ReasonNobody || !strings.HasSuffix(f.Message, "not all can take a task: "+why) {
			t.Errorf("Resolve() = %v, want %s since %s", err, router.ReasonNobody, why)
		}
	}
}

// TestNoChainWaitsForAgentsThatAreAwayInVain asks for what nobody makes, and for what needs no chain.
func TestNoChainWaitsForAgentsThatAreAwayInVain(t *testing.T) {
	t.Parallel()
	last := maker("last", "stories:reference", "code:artifact")
	last.Status.Status = registry.StatusUnavailable
	r, route := newRouter(maker("first", "idea:comment", "stories:reference"), last), contract("idea:comment", "code:")
	if _, err := r.Resolve(t.Context(), tenant, contract("idea:comment", "other:")); fault.ReasonOf(err) != router.ReasonNoneFits {
		t.Errorf("Resolve() of what nobody makes = %v, want %s", err, router.ReasonNoneFits)
	}
	route.FanOut = &orchestrator.FanOut{Mode: orchestrator.PlanAll}
	if _, err := r.Resolve(t.Context(), tenant, route); fault.ReasonOf(err) != router.ReasonNoneFits {
		t.Errorf("Resolve() of a fan-out, which has no chain = %v, want %s", err, router.ReasonNoneFits)
	}
}

// TestAChainWaitsForAnAgentThatIsAvoided has an agent of a chain be one that could not be reached lately.
func TestAChainWaitsForAnAgentThatIsAvoided(t *testing.T) {
	t.Parallel()
	agents := fleet{maker("first", "idea:comment", "stories:reference"), maker("second", "idea:comment", "notes:remark"), maker("last", "stories:reference notes:remark", "code:artifact")}
	for _, avoided := range []string{"first", "second", "last"} {
		r := router.New(router.Config{Directory: agents, Intn: first, Cut: func(_, agent string, _ time.Time) bool { return agent == avoided }})
		got, err := r.Resolve(t.Context(), tenant, contract("idea:comment", "code:"))
		if f := fault.From(err); len(got.Decision.Chain) > 0 || f.Kind != fault.Unavailable || f.Reason != router.ReasonNobody || !strings.Contains(f.Message, avoided+": ") {
			t.Errorf("Resolve() = %v, %v, want %s since %s is avoided", got.Decision.Chain, err, router.ReasonNobody, avoided)
		}
	}
}

// TestAChainThatIsTooLongIsNoRefusalWhileAnAgentIsAway has six agents work one after the other, and another one shorten that when it is back.
func TestAChainThatIsTooLongIsNoRefusalWhileAnAgentIsAway(t *testing.T) {
	t.Parallel()
	var agents fleet
	for i := range 6 {
		agents = append(agents, maker(fmt.Sprintf("a%d", i), fmt.Sprintf("s%d:type%d", i, i), fmt.Sprintf("s%d:type%d", i+1, i+1)))
	}
	route := contract("s0:type0", "s6:")
	for name, away := range map[string]registry.Agent{
		"that does all of it":  maker("x", "s0:type0", "s6:type6"),
		"that does part of it": maker("x", "s0:type0", "s3:type3"),
	} {
		away.Status.Status = registry.StatusUnavailable
		got, err := newRouter(append(slices.Clone(agents), away)...).Resolve(t.Context(), tenant, route)
		if fault.ReasonOf(err) != router.ReasonNobody || !strings.Contains(got.Decision.Refused, "x: it is unavailable") {
			t.Errorf("Resolve() while an agent %s is away = %v, want %s", name, err, router.ReasonNobody)
		}
	}
	if _, err := newRouter(agents...).Resolve(t.Context(), tenant, route); fault.ReasonOf(err) != router.ReasonChainTooLong {
		t.Errorf("Resolve() without such an agent = %v, want %s", err, router.ReasonChainTooLong)
	}
}

// TestAChainGoesToTheBestOfThoseThatDoTheSame has two agents for the first link, and others that are similar.
func TestAChainGoesToTheBestOfThoseThatDoTheSame(t *testing.T) {
	t.Parallel()
	last := maker("last", "stories:reference", "code:artifact")
	for name, test := range map[string]struct {
		change func(a, b *registry.Agent, r *router.Router)
		want   string
	}{
		"equals":             {func(_, _ *registry.Agent, _ *router.Router) {}, "a"},
		"one is full":        {func(a, _ *registry.Agent, _ *router.Router) { a.Status.InFlight, a.Status.Capacity = 2, 2 }, "b"},
		"one is busy":        {func(a, _ *registry.Agent, _ *router.Router) { a.Status.Status = registry.StatusBusy }, "b"},
		"one has more to do": {func(_, _ *registry.Agent, r *router.Router) { r.Begin(tenant, "a") }, "b"},
		"one failed":         {func(_, _ *registry.Agent, r *router.Router) { r.Begin(tenant, "a")(router.Failed) }, "b"},
		"one makes more": {func(a, b *registry.Agent, _ *router.Router) {
			*a, *b = busy(*a), maker("b", "idea:comment", "stories:reference x:artifact")
		}, "a"},
		"one is busy, and both have the same schemas": {func(a, b *registry.Agent, _ *router.Router) {
			for _, x := range []*registry.Agent{a, b} {
				x.Metadata.InputSchemas[0].JSONSchema = map[string]any{"type": "string", "minLength": 1.0}
				x.Metadata.OutputSchemas[0].JSONSchema = map[string]any{"type": "string"}
			}
			*a = busy(*a)
		}, "b"},
		"one takes less": {func(a, b *registry.Agent, _ *router.Router) {
			*a, b.Metadata.InputSchemas[0].JSONSchema = busy(*a), map[string]any{"type": "string"}
		}, "a"},
		"one makes it narrower": {func(a, b *registry.Agent, _ *router.Router) {
			*a, b.Metadata.OutputSchemas[0].JSONSchema = busy(*a), map[string]any{"type": "string"}
		}, "a"},
	} {
		agents := fleet{maker("a", "idea:comment", "stories:reference"), maker("b", "idea:comment", "stories:reference"), last}
		r := router.New(router.Config{Directory: agents, Intn: first})
		test.change(&agents[0], &agents[1], r)
		got, err := r.Resolve(t.Context(), tenant, contract("idea:comment", "code:"))
		if list := got.Decision.Chain; err != nil || len(list) != 2 || list[0].Agent != test.want || list[1].Agent != "last" {
			t.Errorf("Resolve() when %s = %+v, %v, want a chain of %s and last", name, list, err, test.want)
		}
	}
}

func busy(a registry.Agent) registry.Agent {
	a.Status.Status = registry.StatusBusy
	return a
}

// TestAnAgentIsInAChainOnce has the last agent take two texts that two agents make alike, one of which is better.
func TestAnAgentIsInAChainOnce(t *testing.T) {
	t.Parallel()
	r := newRouter(busy(maker("a", "idea:comment", "text:document")), maker("b", "idea:comment", "text:document"), maker("last", "one:document two:document", "code:artifact"))
	got, err := r.Resolve(t.Context(), tenant, contract("idea:comment", "code:"))
	var agents []string
	for _, l := range got.Decision.Chain {
		agents = append(agents, l.Agent)
	}
	if err != nil || !slices.Contains(agents, "b") || len(agents) != len(slices.Compact(slices.Sorted(slices.Values(agents)))) {
		t.Errorf("Resolve() = a chain of %q, %v, want each agent once", agents, err)
	}
}

// TestOfChainsOfTheSameLengthThatOfTheFewestAgentsIsTaken has two agents that make what is wanted of what others make.
func TestOfChainsOfTheSameLengthThatOfTheFewestAgentsIsTaken(t *testing.T) {
	t.Parallel()
	r := newRouter(maker("x", "idea:comment", "plan:artifact"), maker("y", "idea:comment", "list:collection"),
		maker("a", "plan:artifact list:collection", "site:reference"), maker("b", "plan:artifact", "site:reference"))
	got, err := r.Resolve(t.Context(), tenant, contract("idea:comment", "site:"))
	if list := got.Decision.Chain; err != nil || len(list) != 2 || list[1].Agent != "b" {
		t.Errorf("Resolve() = %+v, %v, want a chain of x and b", list, err)
	}
}

// TestChainsAreThoseOfAPlainPlanner compares decisions in random small registries with what a planner says that knows no index.
func TestChainsAreThoseOfAPlainPlanner(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(1, 2))
	var alone, chains, far, nowhere int
	for n := range 4000 {
		agents, want := randomTask(dice)
		got, err := newRouter(agents...).Resolve(t.Context(), tenant, orchestrator.Route{Contract: &want})
		if got.Decision.Chosen != "" {
			alone++
			if len(got.Decision.Chain) > 0 {
				t.Fatalf("Resolve(%+v) in registry %d = %s and the chain %v, want the agent alone", want, n, got.Decision.Chosen, got.Decision.Chain)
			}
			continue
		}
		list, hops := plainChain(agents, want)
		tooFar := hops > 5 && !anyAway(got.Decision.Rejected)
		if tooFar {
			_, whole := plainChain(recovered(agents), want)
			tooFar = whole > 5
		}
		switch {
		case hops > 5:
			far++
			list = nil
		case hops > 0:
			chains++
		default:
			nowhere++
		}
		if diff := cmp.Diff(list, got.Decision.Chain); diff != "" {
			t.Fatalf("Resolve(%+v) in registry %d: %v, chain (-want +got):\n%s", want, n, err, diff)
		}
		if refused := fault.ReasonOf(err) == router.ReasonChainTooLong; refused != tooFar {
			t.Fatalf("Resolve(%+v) in registry %d = %v, want a refusal as too long: %t", want, n, err, tooFar)
		}
	}
	t.Logf("%d of one agent, %d chains, %d too long, %d nowhere", alone, chains, far, nowhere)
	if min(chains, far, nowhere) < 100 {
		t.Errorf("%d chains, %d too long and %d nowhere, want 100 of each", chains, far, nowhere)
	}
}

func plainChain(agents fleet, want orchestrator.Contract) ([]orchestrator.Link, int) {
	p := planner{listing: agents.Listing(tenant)}
	return p.plan(want)
}

// anyAway reports whether an agent could do the task alone if it were not in error.
func anyAway(list []orchestrator.Rejection) bool {
	return slices.ContainsFunc(list, func(x orchestrator.Rejection) bool { return x.Code == router.CodeError })
}

// recovered is the agents when none of them is in error any more.
func recovered(agents fleet) fleet {
	agents = slices.Clone(agents)
	for i := range agents {
		agents[i].Status.Status = registry.StatusAvailable
	}
	return agents
}

var (
	randomNames = []string{"a", "b", "c", "d", "e"}
	randomTypes = []string{"document", "artifact", "collection", "reference", "comment"}
)

func pick(dice *rand.Rand, list []string) string { return list[dice.IntN(len(list))] }

// randomTask is a registry and what is wanted of it. In every other one there is a ladder: most agents take only what those a step lower make.
func randomTask(dice *rand.Rand) (fleet, orchestrator.Contract) {
	agents := make(fleet, 4+dice.IntN(14))
	ladder, twins := dice.IntN(2) == 0, 1+dice.IntN(2)
	for i, n := range dice.Perm(len(agents)) {
		agents[i] = agent(fmt.Sprintf("agent-%02d", n), registry.StatusAvailable)
		if dice.IntN(8) == 0 {
			agents[i].Status.Status = registry.StatusError
		}
		agents[i].Metadata = randomPorts(dice)
		switch {
		case ladder && dice.IntN(10) > 0:
			agents[i].Metadata = rung(i / twins)
		case i > 0 && dice.IntN(3) == 0:
			agents[i].Metadata = otherSchemas(dice, agents[i-1].Metadata)
		}
	}
	want := randomContract(dice, agents)
	if ladder {
		want.Inputs = []orchestrator.Typed{{Name: "step0"}}
		want.Output = orchestrator.Typed{Name: fmt.Sprint("step", 2+dice.IntN(7))}
	}
	return agents, want
}

func rung(i int) agentcard.Metadata {
	return maker("", fmt.Sprintf("step%d:type%d", i, i), fmt.Sprintf("step%d:type%d", i+1, i+1)).Metadata
}

// randomPorts have names and types that meet often.
func randomPorts(dice *rand.Rand) agentcard.Metadata {
	var m agentcard.Metadata
	for range 1 + dice.IntN(3) {
		m.InputSchemas = append(m.InputSchemas, agentcard.InputSchema{
			Name: pick(dice, randomNames), SemanticType: pick(dice, randomTypes), Required: dice.IntN(5) > 0, JSONSchema: randomSchema(dice),
		})
	}
	for range dice.IntN(3) {
		m.OutputSchemas = append(m.OutputSchemas, agentcard.OutputSchema{
			Name: pick(dice, randomNames), SemanticType: pick(dice, randomTypes), Guaranteed: dice.IntN(6) > 0, JSONSchema: randomSchema(dice),
		})
	}
	return m
}

// otherSchemas is the same inputs with schemas of their own.
func otherSchemas(dice *rand.Rand, m agentcard.Metadata) agentcard.Metadata {
	m.InputSchemas = slices.Clone(m.InputSchemas)
	for i := range m.InputSchemas {
		m.InputSchemas[i].JSONSchema = randomSchema(dice)
	}
	return m
}

func randomSchema(dice *rand.Rand) map[string]any {
	if dice.IntN(2) == 0 {
		return nil
	}
	return map[string]any{"type": pick(dice, []string{"string", "object"})}
}

// randomContract wants of some agents' inputs, named or typed or both, what some agent makes.
func randomContract(dice *rand.Rand, agents fleet) orchestrator.Contract {
	either := func(name, kind string) orchestrator.Typed {
		return []orchestrator.Typed{{Name: name}, {SemanticType: kind}, {Name: name, SemanticType: kind}}[dice.IntN(3)]
	}
	want := orchestrator.Contract{Output: either(pick(dice, randomNames), pick(dice, randomTypes))}
	for range 1 + dice.IntN(2) {
		if inputs := agents[dice.IntN(len(agents))].Metadata.InputSchemas; len(inputs) > 0 {
			want.Inputs = append(want.Inputs, either(inputs[0].Name, inputs[0].SemanticType))
		}
	}
	if dice.IntN(20) == 0 {
		want.Inputs = append(want.Inputs, orchestrator.Typed{SemanticType: "unheard of"})
	}
	if outputs := agents[dice.IntN(len(agents))].Metadata.OutputSchemas; len(outputs) > 0 {
		want.Output = either(outputs[0].Name, outputs[0].SemanticType)
	}
	return want
}
