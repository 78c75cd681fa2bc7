package router_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
)

// TestBothStagesHaveTheSameSay has two agents that are equally likely for the first stage, while the second is sure of one.
func TestBothStagesHaveTheSameSay(t *testing.T) {
	t.Parallel()
	r := withModel(t, &model{}, 10*time.Second)
	for words, want := range map[string]string{
		"draw a picture of a hound":  "skill draw_dog: probability 0.75",
		"draw a picture of a feline": "skill draw_cat: probability 0.75",
	} {
		const says = "the second stage (embeddings) decided: similarity 1.00, while the skill nearest to this one has 0.21"
		if got := reasons(t, r, words); !strings.Contains(got, want) || !strings.Contains(got, says) {
			t.Errorf("Resolve(%q) says %q, want %q and %q", words, got, want, says)
		}
	}
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Text: "draw a picture of a hound"})
	if err != nil || len(got.Decision.Rejected) != 1 || !strings.Contains(got.Decision.Rejected[0].Reason, "draw_cat is the nearest, with 0.25") {
		t.Errorf("Resolve() = %+v, %v, want the other agent rejected with the rest of the probability", got.Decision, err)
	}
}

// TestCopiesOfAnAgentCountOnceForBothStages has one of the two run nine times.
func TestCopiesOfAnAgentCountOnceForBothStages(t *testing.T) {
	t.Parallel()
	m := &model{}
	for i := range 8 {
		m.agents = append(m.agents, skilled(fmt.Sprintf("c-dogs-%d", i), registry.StatusAvailable, "draw_dog", "Draws a picture of a dog."))
	}
	r := withModel(t, m, 10*time.Second)
	for words, want := range map[string]string{
		"draw a picture of a hound":  "skill draw_dog: probability 0.75",
		"draw a picture of a feline": "skill draw_cat: probability 0.75",
	} {
		if got := reasons(t, r, words); !strings.Contains(got, want) {
			t.Errorf("Resolve(%q) says %q, want %q", words, got, want)
		}
	}
}

// TestTheSecondStageNeedsAnother has a registry with one agent: a text that it alone may do is no question for the second stage.
func TestTheSecondStageNeedsAnother(t *testing.T) {
	t.Parallel()
	e := &deadlines{}
	r := e.router(t, skilled("a-cats", registry.StatusAvailable, "draw_cat", "Draws a picture of a cat."))
	if says := reasons(t, r, "draw a picture of a hound"); !strings.Contains(says, "the first stage decided: it is sure") || len(e.list()) > 0 {
		t.Errorf("Resolve() says %q after %d questions, want that the first stage is sure, without any", says, len(e.list()))
	}
}

func TestADecisionWaitsForTheSecondStageForAMoment(t *testing.T) {
	t.Parallel()
	e := &deadlines{}
	r := e.router(t,
		skilled("a-cats", registry.StatusAvailable, "draw_cat", "Draws a picture of a cat."),
		skilled("b-dogs", registry.StatusAvailable, "draw_dog", "Draws a picture of a dog."))
	waitUntilRead(t, r)
	begin, before := time.Now(), len(e.list())
	if says := reasons(t, r, "draw a picture of a hound"); !strings.Contains(says, "probability 0.50") {
		t.Errorf("Resolve() says %q, want that both are as likely as before", says)
	}
	const box = 150 * time.Millisecond
	after := e.list()[before:]
	if len(after) != 1 || after[0].Before(begin.Add(box)) || after[0].After(time.Now().Add(box)) {
		t.Errorf("the second stage was asked between %s and %s until %v, want once, for %s", begin, time.Now(), after, box)
	}
}

// deadlines is an embedder that takes all texts for equal, and notes how long decisions wait for it.
type deadlines struct {
	mu   sync.Mutex
	seen []time.Time // guarded by mu
}

func (e *deadlines) list() []time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seen
}

func (e *deadlines) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if until, ok := ctx.Deadline(); ok && time.Until(until) < 10*time.Second { // skills may take longer
		e.mu.Lock()
		e.seen = append(e.seen, until)
		e.mu.Unlock()
	}
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1}
	}
	return out, nil
}

// router is a router with this second stage and the usual time for it.
func (e *deadlines) router(t *testing.T, agents ...registry.Agent) *router.Router {
	t.Helper()
	list := fleet(agents)
	r := router.New(router.Config{Directory: &list, Intn: first, Embedder: e})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	return r
}
