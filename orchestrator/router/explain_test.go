package router_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestAContractIsExplainedAsByHand compares what decisions in random small registries say of each agent with what is said of it alone.
func TestAContractIsExplainedAsByHand(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(3, 4))
	count := make(map[string]int)
	for n := range 4000 {
		agents, want := randomTask(dice)
		for i := range agents {
			agents[i].Metadata.InputSchemas = namedOnce(agents[i].Metadata.InputSchemas)
			agents[i].Status.Status = registry.StatusAvailable
		}
		want.Inputs = append(want.Inputs, randomThings(dice)...)
		got, err := newRouter(agents...).Resolve(t.Context(), tenant, orchestrator.Route{Contract: &want})
		said, expected := make(map[string]verdict), make(map[string]verdict)
		for _, c := range got.Decision.Candidates {
			text, _, _ := strings.Cut(strings.Join(c.Reasons, "; "), "; status ")
			said[c.Agent] = verdict{text: text, score: fmt.Sprintf("%.4f", c.Score)}
		}
		for _, x := range got.Decision.Rejected {
			said[x.Agent] = verdict{code: x.Code, text: x.Reason}
		}
		for i := range agents {
			expected[agents[i].Name] = plainVerdict(agents.Listing(tenant), &agents[i], want)
			count[expected[agents[i].Name].code]++
		}
		if diff := cmp.Diff(expected, said, cmp.AllowUnexported(verdict{})); diff != "" {
			t.Fatalf("Resolve(%+v) in registry %d: %v, explanation (-want +got):\n%s", want, n, err, diff)
		}
	}
	if min(count[""], count[router.CodeNoInput], count[router.CodeNoOutput]) < 1000 {
		t.Errorf("agents by code: %v, want 1000 of each and of those without", count)
	}
}

// namedOnce keeps one input of each name, as a registry does.
func namedOnce(list []agentcard.InputSchema) []agentcard.InputSchema {
	seen := make(map[string]bool)
	return slices.DeleteFunc(slices.Clone(list), func(in agentcard.InputSchema) bool {
		twice := seen[in.Name]
		seen[in.Name] = true
		return twice
	})
}

func randomThings(dice *rand.Rand) (list []orchestrator.Typed) {
	for range dice.IntN(4) {
		list = append(list, orchestrator.Typed{Name: pick(dice, randomNames), SemanticType: pick(dice, append(randomTypes, ""))})
	}
	return list
}

func TestADecisionSaysHowAgentsDo(t *testing.T) {
	t.Parallel()
	ill, told, drained := agent("ill", registry.StatusError), agent("told", registry.StatusUnavailable), agent("drained", registry.StatusUnavailable)
	ill.Status.ErrorMessage, told.Status.ErrorMessage, drained.Status.Draining = "disk full", "lunch", true
	cut, never := agent("cut", registry.StatusAvailable), agent("never", registry.StatusUnknown)
	never.Status.ErrorMessage = "it has sent no heartbeat"
	silent, noon := agent("silent", ""), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	silent.Status = registry.Pulse{BeatTime: noon, BeatExpire: noon.Add(time.Minute)}.At(noon.Add(time.Hour))
	r := router.New(router.Config{
		Directory: fleet{loaded("half", 1, 2), loaded("open", 3, 0), ill, told, drained, cut, never, silent, loaded("full", 2, 2)},
		Intn:      first, Cut: func(_, agent string, _ time.Time) bool { return agent == "cut" }, Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
	})
	r.Observe(tenant, "half", 250*time.Millisecond, router.Succeeded)
	r.Observe(tenant, "open", time.Second, router.Failed)
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	if err != nil || got.Agent.Name != "half" || got.Agent.Status.Capacity != 2 {
		t.Errorf("Resolve(work) = %s with status %+v, %v, want half with its own", got.Agent.Name, got.Agent.Status, err)
	}
	said := make(map[string]string)
	for _, c := range got.Decision.Candidates {
		said[c.Agent] = strings.Join(c.Reasons, "; ")
	}
	for _, x := range got.Decision.Rejected {
		said[x.Agent] = x.Code + ": " + x.Reason
	}
	want := map[string]string{
		"half":    "status available; 1 of 2 tasks under way; takes 250ms",
		"open":    "status available; tasks under way: 3; 20 % of its tasks failed lately",
		"ill":     "AGENT_ERROR: it is in error: disk full",
		"told":    "AGENT_UNAVAILABLE: it is unavailable: lunch",
		"drained": "AGENT_DRAINING: an admin keeps new tasks from it",
		"never":   "AGENT_UNKNOWN: it was never heard of and is used only when named: it has sent no heartbeat",
		"silent":  "AGENT_UNAVAILABLE: it is unavailable: not heard of since 2026-01-01T12:00:00Z; the lease ended at 2026-01-01T12:01:00Z",
		"cut":     "status available; could not be reached lately: comes after all others",
		"full":    "status available; 2 of 2 tasks under way; full: comes after all that have room",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("Resolve(work) says (-want +got):\n%s", diff)
	}
}

// crowded are 150 agents that lack an input, 150 that make an artifact of a document and 150 that make nothing, in one order of names.
func crowded(status string) fleet {
	var agents fleet
	for i := range 150 {
		agents = append(agents, maker(fmt.Sprintf("%03d-lacks", i), "spec:document style:collection", "code:artifact"),
			maker(fmt.Sprintf("%03d-makes", i), "spec:document", "code:artifact"), maker(fmt.Sprintf("%03d-other", i), "spec:document", ""))
	}
	for i := range agents {
		agents[i].Status.Status = status
	}
	return agents
}

func TestADecisionByContractIsBoundedAndCountsTheRest(t *testing.T) {
	t.Parallel()
	agents := crowded(registry.StatusAvailable)
	agents[1].Status.Status = registry.StatusError // 000-makes
	got, err := newRouter(agents...).Resolve(t.Context(), tenant, contract("spec:document", ":artifact"))
	d := got.Decision
	if err != nil || len(d.Candidates) != 100 || len(d.Rejected) != 100 || d.Omitted != 450-200 {
		t.Fatalf("Resolve() lists %d candidates, %d rejected, omits %d, %v, want 100, 100 and 250", len(d.Candidates), len(d.Rejected), d.Omitted, err)
	}
	for i, x := range d.Rejected {
		want := orchestrator.Rejection{Agent: fmt.Sprintf("%03d-lacks", i), Code: router.CodeNoInput, Reason: `it also requires "style" (collection)`}
		if x != want {
			t.Errorf("rejection %d = %+v, want %+v", i, x, want)
		}
	}
	reasons := []string{`makes "code" (artifact)`, "of 1 of 1 inputs", "status available"}
	for i, c := range d.Candidates[1:] { // the first says more: how it was chosen
		if want := fmt.Sprintf("%03d-makes", i+2); c.Agent != want || !slices.Equal(c.Reasons, reasons) {
			t.Errorf("candidate %d = %s for %q, want %s for %q", i+1, c.Agent, c.Reasons, want, reasons)
		}
	}
}

func TestARefusalCountsAllWhoWereLookedAt(t *testing.T) {
	t.Parallel()
	got, err := newRouter(crowded(registry.StatusError)...).Resolve(t.Context(), tenant, contract("spec:document", ":artifact"))
	if d := got.Decision; fault.ReasonOf(err) != router.ReasonNobody || len(d.Rejected) != 100 || d.Omitted != 350 || !strings.HasSuffix(d.Refused, "and 440 more") {
		t.Errorf("Resolve() = %q, %v with %d rejected and %d omitted, want 100, 350, and 10 of 450 named", d.Refused, err, len(d.Rejected), d.Omitted)
	}
}

// TestWhoIsDownIsNamedBeforeThoseWhoDoOtherThings has one agent that could do it, behind more that could not than a decision has room for.
func TestWhoIsDownIsNamedBeforeThoseWhoDoOtherThings(t *testing.T) {
	t.Parallel()
	var agents []registry.Agent
	for i := range 150 {
		agents = append(agents, agent(fmt.Sprintf("other%03d", i), registry.StatusAvailable))
	}
	maker := agent("writer", registry.StatusError)
	maker.Metadata.OutputSchemas = []agentcard.OutputSchema{{Name: "report", SemanticType: "text", Guaranteed: true}}
	got, err := newRouter(append(agents, maker)...).Resolve(t.Context(), tenant, contract("", "report:"))
	d := got.Decision
	if len(d.Rejected) != 100 || d.Rejected[0].Agent != "writer" || d.Rejected[0].Code != router.CodeError || d.Omitted != 51 || !strings.Contains(d.Refused, "writer: it is in error") {
		t.Errorf("Resolve() = %v with %d rejected and %d omitted, the first %+v; want the maker named first and 51 omitted", err, len(d.Rejected), d.Omitted, d.Rejected[:1])
	}
}

// TestDecisionsShareNothing makes many at a time, of different sizes: what one works with is used again by the next.
func TestDecisionsShareNothing(t *testing.T) {
	t.Parallel()
	r := newRouter(append(crowded(registry.StatusAvailable), agent("worker", registry.StatusBusy), agent("boss", registry.StatusAvailable))...)
	routes := []orchestrator.Route{
		contract("spec:document", ":artifact"),
		contract("", ":artifact"),
		{Skill: "work"},
		{Agent: "worker"},
		{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 3}},
	}
	resolve := func(route orchestrator.Route) string {
		got, err := r.Resolve(t.Context(), tenant, route)
		return fmt.Sprintf("%+v %+v %+v %v", got.Decision, got.Agent, got.Several, err)
	}
	var alone []string
	for _, route := range routes {
		alone = append(alone, resolve(route))
	}
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for j := range 20 {
				if at := (i + j) % len(routes); resolve(routes[at]) != alone[at] {
					t.Errorf("Resolve(%+v) among others is another decision than alone", routes[at])
				}
			}
		})
	}
	running.Wait()
}

// changing is a directory whose agents lose a skill after they were found by it.
type changing struct{ fleet }

func (changing) BySkill(string, string) []string { return []string{"gone", "has", "lost"} }

func TestAnAgentThatHasLostTheSkillIsNoCandidate(t *testing.T) {
	t.Parallel()
	lost := agent("lost", registry.StatusAvailable)
	lost.Card.Skills = nil
	r := router.New(router.Config{Directory: changing{fleet{agent("has", registry.StatusAvailable), lost}}, Intn: first})
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	if diff := cmp.Diff([]string{"has"}, names(got.Decision.Candidates)); err != nil || diff != "" {
		t.Errorf("Resolve(work) = %v, candidates (-want +got):\n%s", err, diff)
	}
}

// stale is a directory whose agents have changed since the router made its indexes.
type stale struct {
	fleet
	now fleet // what is left of the agents
}

func (d *stale) Peek(tenant, name string) (*registry.Agent, registry.Status, bool) {
	if a, status, ok := d.now.Peek(tenant, name); ok {
		return a, status, true
	}
	return nil, registry.Status{}, false
}

func (d *stale) PeekAll(tenant string, names iter.Seq[string], see func(*registry.Agent, registry.Status)) {
	d.now.PeekAll(tenant, names, see)
}

func TestAnAgentThatHasChangedSinceItWasIndexedIsNoCandidate(t *testing.T) {
	t.Parallel()
	a := skilled("a", registry.StatusAvailable, "translate", "Translates texts between languages.")
	a.Metadata.OutputSchemas = []agentcard.OutputSchema{{Name: "words", SemanticType: "comment", Guaranteed: true}}
	for name, now := range map[string]fleet{"it is gone": {}, "it does something else": {skilled("a", registry.StatusAvailable, "draw", "Draws pictures.")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &stale{fleet: fleet{a}, now: fleet{a}}
			r := router.New(router.Config{Directory: d, Intn: first})
			for _, route := range []orchestrator.Route{{Text: "translate a text"}, contract("", ":comment")} {
				d.now = fleet{a}
				if got, err := r.Resolve(t.Context(), tenant, route); err != nil || got.Decision.Chosen != "a" {
					t.Fatalf("Resolve(%+v) = %+v, %v, want a", route, got.Decision, err)
				}
				d.now = now
				if got, err := r.Resolve(t.Context(), tenant, route); err == nil || len(got.Decision.Candidates) > 0 {
					t.Errorf("Resolve(%+v) = %+v, want a refusal: the agent does not do that any more", route, got.Decision)
				}
			}
		})
	}
}

func TestADecisionShowsWhichCandidatesHaveRules(t *testing.T) {
	t.Parallel()
	ruled := agent("ruled", registry.StatusAvailable)
	ruled.Metadata.ConsultationRequirements = []agentcard.ConsultationRequirement{{ID: "second", TargetAgent: "reviewer"}}
	got, err := newRouter(agent("free", registry.StatusAvailable), ruled).Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got.Decision.Candidates {
		if says := slices.Contains(c.Reasons, "consultation rules: 1"); says != (c.Agent == "ruled") {
			t.Errorf("Resolve() says of %s %q", c.Agent, c.Reasons)
		}
	}
}
