package router_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestAnAgentWhoseCardIsNotTrustedGetsNoTasks(t *testing.T) {
	t.Parallel()
	revoked := agent("revoked", registry.StatusAvailable)
	revoked.Verification = registry.Verification{State: registry.VerificationUntrusted, Required: true, Reason: "no pinned key has signed it"}
	revoked.Metadata.OutputSchemas = []agentcard.OutputSchema{{Name: "book", SemanticType: "artifact", Guaranteed: true}}
	for name, test := range map[string]struct {
		agents []registry.Agent
		route  orchestrator.Route
		chosen string
	}{
		"also when it is named":       {[]registry.Agent{revoked}, orchestrator.Route{Agent: "revoked"}, ""},
		"when it alone has a skill":   {[]registry.Agent{revoked}, orchestrator.Route{Skill: "work"}, ""},
		"when another one has it too": {[]registry.Agent{revoked, agent("other", registry.StatusBusy)}, orchestrator.Route{Skill: "work"}, "other"},
		"when it makes what is wanted": {
			[]registry.Agent{revoked}, orchestrator.Route{Contract: &orchestrator.Contract{Output: orchestrator.Typed{Name: "book"}}}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := router.New(router.Config{Directory: fleet(test.agents), Intn: first, Trusts: registry.SignaturesIfPresent.Trusts})
			got, err := r.Resolve(t.Context(), tenant, test.route)
			if got.Decision.Chosen != test.chosen || codes(got.Decision.Rejected)["revoked"] != router.CodeUntrusted || len(got.Decision.Chain) != 0 {
				t.Fatalf("Resolve(%+v) = %+v, %v, want %q, and revoked rejected with %s", test.route, got.Decision, err, test.chosen, router.CodeUntrusted)
			}
			if why := got.Decision.Rejected[0].Reason; !strings.Contains(why, "no pinned key has signed it") {
				t.Errorf("Resolve(%+v) rejects with %q, want what the check came to", test.route, why)
			}
			if test.chosen == "" && fault.ReasonOf(err) != router.ReasonNobody {
				t.Errorf("Resolve(%+v) = %v, want %s", test.route, err, router.ReasonNobody)
			}
		})
	}
}

// TestAChainAvoidsAnAgentWhoseCardIsNotTrusted has one that would make what is wanted alone, and one that would be part of the chain.
func TestAChainAvoidsAnAgentWhoseCardIsNotTrusted(t *testing.T) {
	t.Parallel()
	alone, part := maker("alone", "page:reference", "sum:comment"), maker("part", "page:reference", "list:collection")
	for _, a := range []*registry.Agent{&alone, &part} {
		a.Verification = registry.Verification{State: registry.VerificationUntrusted, Required: true, Reason: "no pinned key has signed it"}
	}
	reads, sums := maker("reads", "page:reference", "list:collection"), maker("sums", "list:collection", "sum:comment")
	for name, test := range map[string]struct {
		agents fleet
		links  int
	}{
		"others take its place":           {fleet{alone, part, reads, sums}, 2},
		"nobody takes its place":          {fleet{alone, part, sums}, 0},
		"alone, it is no reason for none": {fleet{alone, reads, sums}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := router.New(router.Config{Directory: test.agents, Intn: first, Trusts: registry.SignaturesIfPresent.Trusts})
			got, err := r.Resolve(t.Context(), tenant, contract(":reference", ":comment"))
			if len(got.Decision.Chain) != test.links || (err == nil) != (test.links > 0) || test.links > 0 && got.Decision.Chain[0].Agent != "reads" {
				t.Errorf("Resolve() = %+v, %v, want a chain of %d, without those whose cards are not trusted", got.Decision, err, test.links)
			}
		})
	}
}
