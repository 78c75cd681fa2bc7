package router_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// skilled has one skill that a text may find.
func skilled(name, status, id, description string, examples ...string) registry.Agent {
	a := agent(name, status)
	a.Card.Skills = []agentcard.Skill{{ID: id, Name: id, Description: description, Examples: examples}}
	return a
}

func indexCache() []registry.Agent {
	return []registry.Agent{
		skilled("reader", registry.StatusAvailable, "fetch_url", "Reads a web page and returns it as Markdown."),
		skilled("reader-two", registry.StatusAvailable, "fetch_url", "Reads a web page and returns it as Markdown."),
		skilled("translator", registry.StatusAvailable, "translate_text", "Translates texts between languages."),
		skilled("painter", registry.StatusUnavailable, "draw_picture", "Draws pictures and illustrations."),
	}
}

func TestATextFindsTheAgentsThatAreLikeIt(t *testing.T) {
	t.Parallel()
	got, err := newRouter(indexCache()...).Resolve(t.Context(), tenant, orchestrator.Route{Text: "please read this web page"})
	if err != nil || !strings.HasPrefix(got.Decision.Chosen, "reader") || got.Decision.Skill != "fetch_url" {
		t.Fatalf("Resolve(text) = %+v, %v, want a reader", got.Decision, err)
	}
	if list := names(got.Decision.Candidates); len(list) != 2 || slices.Contains(list, "translator") {
		t.Errorf("Resolve(text) candidates = %q, want the two readers", list)
	}
	if reasons := strings.Join(got.Decision.Candidates[0].Reasons, "; "); !strings.Contains(reasons, "by shared words") {
		t.Errorf("Resolve(text) reasons = %q, want the stage that decided", reasons)
	}
}

func TestATextThatIsLikeNothingIsRefusedWithTheNearest(t *testing.T) {
	t.Parallel()
	r := newRouter(indexCache()...)
	for text, says := range map[string]string{
		"what is the capital city of the country whose languages are many": "translate_text of translator",
		"qwzx": "none of its meaningful words",
		strings.Repeat("lorem ipsum ", 200) + "read this web page": "only the beginning is compared",
		"languages " + strings.Repeat("🍰 ", 9000):                  "only the beginning is compared",
	} {
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Text: text})
		if fault.ReasonOf(err) != router.ReasonNoneFits || !strings.Contains(got.Decision.Refused, says) || got.Decision.Chosen != "" {
			t.Errorf("Resolve(%q) = %+v, %v, want it refused with %q", text, got.Decision, err, says)
		}
	}
}

func TestRelevanceDoesNotOverruleAStatus(t *testing.T) {
	t.Parallel()
	got, err := newRouter(indexCache()...).Resolve(t.Context(), tenant, orchestrator.Route{Text: "draw illustrations"})
	if fault.ReasonOf(err) != router.ReasonNobody || codes(got.Decision.Rejected)["painter"] != router.CodeUnavailable {
		t.Errorf("Resolve(text) = %+v, %v, want the painter rejected as unavailable", got.Decision, err)
	}
}

// TestWhoIsDownIsNamedBeforeThoseWhoAreUnlike has one agent that does what is asked, and more that share a word with it than a refusal names.
func TestWhoIsDownIsNamedBeforeThoseWhoAreUnlike(t *testing.T) {
	t.Parallel()
	agents := indexCache()
	for i := range 15 {
		agents = append(agents, skilled(fmt.Sprintf("clerk%02d", i), registry.StatusAvailable, fmt.Sprintf("file_%d", i), "Files pictures."))
	}
	got, err := newRouter(agents...).Resolve(t.Context(), tenant, orchestrator.Route{Text: "draw pictures and illustrations"})
	if d := got.Decision; fault.ReasonOf(err) != router.ReasonNobody || d.Rejected[0].Agent != "painter" || !strings.Contains(d.Refused, "painter: it is unavailable") {
		t.Errorf("Resolve(text) = %q, %v, the first rejected of %d %+v; want the painter named first", d.Refused, err, len(d.Rejected), d.Rejected[:1])
	}
}

func TestATextSeesARegistrationAtOnce(t *testing.T) {
	t.Parallel()
	agents := fleet(indexCache())
	r := router.New(router.Config{Directory: &agents, Intn: first})
	ask := orchestrator.Route{Text: "compose music for a violin"}
	if _, err := r.Resolve(t.Context(), tenant, ask); fault.ReasonOf(err) != router.ReasonNoneFits {
		t.Fatalf("Resolve(text) = %v, want it refused", err)
	}
	agents = append(agents, skilled("composer", registry.StatusAvailable, "compose_music", "Writes music for violin and piano."))
	got, err := r.Resolve(t.Context(), tenant, ask)
	if err != nil || got.Decision.Chosen != "composer" {
		t.Errorf("Resolve(text) after a registration = %+v, %v, want composer", got.Decision, err)
	}
}

func TestALargeIndexIsTrainedInTheBackground(t *testing.T) {
	t.Parallel()
	var agents []registry.Agent
	for i := range 30 {
		var examples []string
		for j := range 40 {
			examples = append(examples, fmt.Sprintf("kindly do job%d with part%d number%d", i, i*40+j, j))
		}
		agents = append(agents, skilled(fmt.Sprintf("agent%02d", i), registry.StatusAvailable, fmt.Sprintf("job%d", i), "Does it.", examples...))
	}
	r := newRouter(agents...)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	defer running.Wait()
	defer cancel()
	deadline := time.After(10 * time.Minute) // a machine with other work takes long
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for trained := false; !trained; {
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Text: "kindly do job7 with part300"})
		if err != nil || got.Decision.Chosen != "agent07" {
			t.Fatalf("Resolve(text) = %+v, %v, want agent07", got.Decision, err)
		}
		trained = strings.Contains(strings.Join(got.Decision.Candidates[0].Reasons, ""), "words and examples")
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the index is not trained after ten minutes")
		}
	}
}

// TestLoadDoesNotOverruleWhatATextAsksFor has an agent work that does what is asked, beside an idle one that is somewhat like it.
func TestLoadDoesNotOverruleWhatATextAsksFor(t *testing.T) {
	t.Parallel()
	agents := []registry.Agent{
		skilled("reader", registry.StatusAvailable, "fetch_url", "Reads a web page and returns it as Markdown."),
		skilled("printer", registry.StatusAvailable, "fetch_printed_newspaper_supplements", "Puts a web page on paper."),
	}
	agents[0].Status.InFlight = 3
	got, err := newRouter(agents...).Resolve(t.Context(), tenant, orchestrator.Route{Text: "fetch a web page"})
	if err != nil || got.Decision.Chosen != "reader" || codes(got.Decision.Rejected)["printer"] != router.CodeNotAlike {
		t.Errorf("Resolve(text) = %+v, %v, want the reader, busy or not", got.Decision, err)
	}
}
