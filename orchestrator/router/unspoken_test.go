package router_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestAnAgentThatNoTaskCanBeSentToGetsNone has agents of a binding of their own that say that they are available.
func TestAnAgentThatNoTaskCanBeSentToGetsNone(t *testing.T) {
	t.Parallel()
	alone, part := maker("alone", "page:reference", "sum:comment"), maker("part", "page:reference", "list:collection")
	reads, sums := maker("reads", "page:reference", "list:collection"), maker("sums", "list:collection", "sum:comment")
	foreign := agent("foreign", registry.StatusAvailable)
	for _, a := range []*registry.Agent{&alone, &part, &foreign} {
		a.Card.Interfaces = []agentcard.Interface{{Binding: "CARRIER-PIGEON"}}
	}
	for name, test := range map[string]struct {
		agents fleet
		route  orchestrator.Route
		chosen string
		links  int
		reason string
	}{
		"also when it is named":       {fleet{foreign}, orchestrator.Route{Agent: "foreign"}, "", 0, router.CodeUnspoken},
		"when it alone has a skill":   {fleet{foreign}, orchestrator.Route{Skill: "work"}, "", 0, router.CodeUnspoken},
		"when another is away":        {fleet{foreign, agent("other", registry.StatusUnavailable)}, orchestrator.Route{Skill: "work"}, "", 0, router.ReasonNobody},
		"when another one has it too": {fleet{foreign, agent("other", registry.StatusBusy)}, orchestrator.Route{Skill: "work"}, "other", 0, ""},
		"alone or in a chain":         {fleet{alone, part, reads, sums}, contract(":reference", ":comment"), "", 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := router.New(router.Config{Directory: test.agents, Intn: first, Speaks: func(c *agentcard.Card) bool { return len(c.Interfaces) == 0 }})
			got, err := r.Resolve(t.Context(), tenant, test.route)
			if got.Decision.Chosen != test.chosen || len(got.Decision.Chain) != test.links || fault.ReasonOf(err) != test.reason {
				t.Fatalf("Resolve(%+v) = %+v, %v, want %q or a chain of %d, or %q", test.route, got.Decision, err, test.chosen, test.links, test.reason)
			}
			if name := test.agents[0].Name; codes(got.Decision.Rejected)[name] != router.CodeUnspoken {
				t.Errorf("Resolve(%+v) rejects %+v, want %s with %s", test.route, got.Decision.Rejected, name, router.CodeUnspoken)
			}
			for _, link := range got.Decision.Chain {
				if link.Agent == "part" {
					t.Errorf("Resolve(%+v) = %+v, want a chain without part", test.route, got.Decision.Chain)
				}
			}
		})
	}
}
