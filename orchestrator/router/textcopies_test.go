package router_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// copies has an agent of indexCache run several times beside the others, whose skills have examples.
func copies(n int) []registry.Agent {
	agents := indexCache()[2:]
	agents[0].Card.Skills[0].Examples = []string{"say that in French", "what does it mean in English", "put it into Polish", "translate my letter", "I need this text in Czech", "in German, please"}
	for i := range n {
		agents = append(agents, skilled(fmt.Sprintf("reader-%02d", i), registry.StatusAvailable, "fetch_url", "Reads a web page and returns it as Markdown.",
			"what is on this page", "open the site", "get me that article", "show the page behind the link", "what does the homepage say", "load an address"))
	}
	return agents
}

// TestATextIsSpreadOverAllCopiesOfAnAgent asks for the last of the near-equals each time.
func TestATextIsSpreadOverAllCopiesOfAnAgent(t *testing.T) {
	t.Parallel()
	const n = 40
	agents := fleet(copies(n))
	r := router.New(router.Config{Directory: &agents, Intn: func(of int) int { return of - 1 }})
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Text: "show me what is on that page"})
	if err != nil || got.Decision.Chosen != "reader-39" || len(got.Decision.Candidates) != n {
		t.Fatalf("Resolve(text) = %s of %q, %v, want the last of %d readers", got.Decision.Chosen, names(got.Decision.Candidates), err, n)
	}
	if reasons := strings.Join(chosen(got.Decision).Reasons, "; "); !strings.Contains(reasons, fmt.Sprintf("two of %d near-equals", n)) {
		t.Errorf("Resolve(text) reasons = %q, want all copies alike", reasons)
	}
}

func chosen(d orchestrator.Decision) orchestrator.Candidate {
	for _, c := range d.Candidates {
		if c.Agent == d.Chosen {
			return c
		}
	}
	return orchestrator.Candidate{}
}

func TestARefusalNamesOneOfTheCopiesOfAnAgent(t *testing.T) {
	t.Parallel()
	got, err := newRouter(indexCache()...).Resolve(t.Context(), tenant, orchestrator.Route{
		Text: "a web page of history about languages, letters and pictures in medieval monasteries of northern France at the sea",
	})
	if fault.ReasonOf(err) != router.ReasonNoneFits {
		t.Fatalf("Resolve(text) = %+v, %v, want it refused", got.Decision, err)
	}
	for _, want := range []string{"of reader", "of translator", "of painter"} {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("Resolve(text) = %v, want it to name %q once", err, want)
		}
	}
}
