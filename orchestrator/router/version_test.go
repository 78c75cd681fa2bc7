package router_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// of gives an agent a version.
func of(version string, a registry.Agent) registry.Agent {
	a.Card.Version = version
	return a
}

func TestOnlyAgentsOfTheVersionThatIsAskedForAreChosen(t *testing.T) {
	t.Parallel()
	r := newRouter(of("1.9.0", agent("old", registry.StatusAvailable)), of("2.1.0", agent("new", registry.StatusBusy)), of("3.0.0-rc.1", agent("next", registry.StatusAvailable)),
		of("2.0.0", agent("down", registry.StatusUnavailable)))
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work", Version: ">=2"})
	if err != nil || got.Decision.Chosen != "new" {
		t.Fatalf("Resolve(skill, >=2) = %q, %v, want new", got.Decision.Chosen, err)
	}
	want := map[string]string{"old": router.CodeVersion, "next": router.CodeVersion, "down": router.CodeUnavailable}
	if diff := cmp.Diff(want, codes(got.Decision.Rejected)); diff != "" {
		t.Errorf("Resolve(skill, >=2) rejected (-want +got):\n%s", diff)
	}
	if why := got.Decision.Rejected[1].Reason; why != "its version 3.0.0-rc.1 is not >=2" && why != "its version 1.9.0 is not >=2" {
		t.Errorf("Resolve(skill, >=2) rejects with %q, want the version and the range", why)
	}
}

func TestEveryWayAsksForAVersion(t *testing.T) {
	t.Parallel()
	maker := of("1.0.0", agent("maker", registry.StatusAvailable))
	maker.Metadata.OutputSchemas = []agentcard.OutputSchema{{Name: "report", SemanticType: "document", Guaranteed: true}}
	maker.Card.Skills = []agentcard.Skill{{ID: "write-report", Name: "Write a report", Description: "Writes quarterly reports.", Examples: []string{"write the quarterly report"}}}
	down := of("2.0.0", agent("down", registry.StatusUnavailable))
	down.Card.Skills = maker.Card.Skills
	alone, both := newRouter(maker), newRouter(maker, down)
	tests := map[string]struct {
		router  *router.Router
		route   orchestrator.Route
		version string
		want    string // the reason, empty for maker
	}{
		"an agent that is named":              {alone, orchestrator.Route{Agent: "maker"}, "^1", ""},
		"an agent that is named, of another":  {alone, orchestrator.Route{Agent: "maker"}, "^2", router.ReasonVersion},
		"a skill":                             {alone, orchestrator.Route{Skill: "write-report"}, "1.0.0", ""},
		"a skill that others have":            {alone, orchestrator.Route{Skill: "write-report"}, "^2", router.ReasonVersion},
		"a skill that one who is down has":    {both, orchestrator.Route{Skill: "write-report"}, "^2", router.ReasonNobody},
		"a skill that nobody has":             {alone, orchestrator.Route{Skill: "fly"}, "^2", router.ReasonSkillNotFound},
		"a contract":                          {alone, orchestrator.Route{Contract: &orchestrator.Contract{Output: orchestrator.Typed{Name: "report"}}}, "~1.0", ""},
		"a contract that others fulfil":       {alone, orchestrator.Route{Contract: &orchestrator.Contract{Output: orchestrator.Typed{Name: "report"}}}, "^2", router.ReasonVersion},
		"a contract that nobody fulfils":      {alone, orchestrator.Route{Contract: &orchestrator.Contract{Output: orchestrator.Typed{Name: "wings"}}}, "^2", router.ReasonNoneFits},
		"a text":                              {alone, orchestrator.Route{Text: "write the quarterly report"}, "^1", ""},
		"a text that others fit":              {alone, orchestrator.Route{Text: "write the quarterly report"}, "^2", router.ReasonVersion},
		"several":                             {alone, orchestrator.Route{Skill: "write-report", FanOut: &orchestrator.FanOut{Mode: "any"}}, "^2", router.ReasonVersion},
		"no range":                            {alone, orchestrator.Route{Skill: "write-report"}, "newest", "VERSION_RANGE_INVALID"},
		"any version of one that is not down": {both, orchestrator.Route{Skill: "write-report"}, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.route.Version = test.version
			got, err := test.router.Resolve(t.Context(), tenant, test.route)
			if fault.ReasonOf(err) != test.want || err == nil && got.Decision.Chosen != "maker" {
				t.Errorf("Resolve(%+v) = %+v, %v, want maker or %q", test.route, got.Decision, err, test.want)
			}
		})
	}
}

func TestNoChainIsMadeForAVersion(t *testing.T) {
	t.Parallel()
	port := func(name string) registry.Agent { return of("1.0.0", agent(name, registry.StatusAvailable)) }
	first, second := port("first"), port("second")
	first.Metadata.InputSchemas = []agentcard.InputSchema{{Name: "notes", SemanticType: "comment", Required: true}}
	first.Metadata.OutputSchemas = []agentcard.OutputSchema{{Name: "draft", SemanticType: "collection", Guaranteed: true}}
	second.Metadata.InputSchemas = []agentcard.InputSchema{{Name: "draft", SemanticType: "collection", Required: true}}
	second.Metadata.OutputSchemas = []agentcard.OutputSchema{{Name: "book", SemanticType: "artifact", Guaranteed: true}}
	r := newRouter(first, second)
	contract := &orchestrator.Contract{Inputs: []orchestrator.Typed{{SemanticType: "comment"}}, Output: orchestrator.Typed{Name: "book"}}
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Contract: contract}); err != nil || len(got.Decision.Chain) != 2 {
		t.Fatalf("Resolve(contract) = %+v, %v, want a chain of two", got.Decision, err)
	}
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Contract: contract, Version: "^1"}); err == nil || len(got.Decision.Chain) != 0 {
		t.Errorf("Resolve(contract, ^1) = %+v, %v, want a refusal", got.Decision, err)
	}
}
