package router_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// overtaken is a directory that takes its time to hear of others: whatever is done in the background is done by then.
type overtaken struct{ fleet }

func (*overtaken) SyncStatuses(context.Context, string) (bool, error) {
	synctest.Wait()
	return false, nil
}

// translator returns an agent to which the routes of toTranslator lead.
func translator(name string) registry.Agent {
	a := agent(name, registry.StatusAvailable)
	a.Card.Skills = []agentcard.Skill{{ID: "translate", Name: "Translate a poem", Examples: []string{"translate a poem"}}}
	a.Metadata.OutputSchemas = []agentcard.OutputSchema{{Name: "words", SemanticType: "comment", Guaranteed: true}}
	return a
}

var toTranslator = map[string]orchestrator.Route{
	"by contract": {Contract: &orchestrator.Contract{Output: orchestrator.Typed{SemanticType: "comment"}}},
	"by text":     {Text: "translate a poem"},
}

// TestWhatIsRenewedInTheBackgroundCountsBeforeARefusal has the first decision after a change be made by what was there before.
func TestWhatIsRenewedInTheBackgroundCountsBeforeARefusal(t *testing.T) {
	t.Parallel()
	for name, route := range toTranslator {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &overtaken{fleet{agent("a", registry.StatusAvailable)}}
				r := router.New(router.Config{Directory: d, Intn: first})
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go r.Run(ctx)
				if got, _ := r.Resolve(ctx, tenant, route); got.Decision.Refused == "" {
					t.Fatalf("Resolve() = %+v, want a refusal", got.Decision)
				}
				synctest.Wait()
				d.fleet = append(d.fleet, translator("b"))
				if got, err := r.Resolve(ctx, tenant, route); err != nil || got.Decision.Chosen != "b" {
					t.Errorf("Resolve() = %+v, %v, want b, which the background has taken in meanwhile", got.Decision, err)
				}
			})
		})
	}
}

// TestAnAgentThatJoinsIsTakenInInTheBackground has decisions that are no refusals, which do not wait for what is renewed.
func TestAnAgentThatJoinsIsTakenInInTheBackground(t *testing.T) {
	t.Parallel()
	for name, route := range toTranslator {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &overtaken{fleet{translator("a")}}
				r := router.New(router.Config{Directory: d, Intn: first})
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go r.Run(ctx)
				for _, want := range [][]string{{"a"}, {"a"}, {"a", "b"}} {
					got, err := r.Resolve(ctx, tenant, route)
					found := names(got.Decision.Candidates)
					slices.Sort(found)
					if diff := cmp.Diff(want, found); err != nil || diff != "" {
						t.Errorf("Resolve() with %d agents = %v, candidates (-want +got):\n%s", len(d.fleet), err, diff)
					}
					synctest.Wait()
					if len(d.fleet) == 1 {
						d.fleet = append(d.fleet, translator("b"))
					}
				}
			})
		})
	}
}

// overheard is a directory that hears of an agent by itself, just after it was looked for.
type overheard struct{ fleet }

func (d *overheard) Agent(tenant, name string) (registry.Agent, bool) {
	a, ok := d.fleet.Agent(tenant, name)
	if !ok {
		d.fleet = append(d.fleet, agent(name, registry.StatusAvailable))
	}
	return a, ok
}

func (d *overheard) Peek(tenant, name string) (*registry.Agent, registry.Status, bool) {
	a, ok := d.Agent(tenant, name)
	status := a.Status
	return &a, status, ok
}

func TestWhatTheDirectoryHearsMeanwhileCountsBeforeARefusal(t *testing.T) {
	t.Parallel()
	r := router.New(router.Config{Directory: &overheard{}, Intn: first})
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Agent: "a"}); err != nil || got.Decision.Chosen != "a" {
		t.Errorf("Resolve(a) = %+v, %v, want a", got.Decision, err)
	}
}

// revised is a directory whose agents change.
type revised struct {
	fleet
	edition uint64
}

func (d *revised) Edition(string) uint64 { return d.edition }

func (d *revised) Listing(tenant string) registry.Listing {
	list := d.fleet.Listing(tenant)
	list.Edition = d.edition
	return list
}

// TestAChainIsMadeOfAgentsAsTheyAre changes what a link of a chain makes.
func TestAChainIsMadeOfAgentsAsTheyAre(t *testing.T) {
	t.Parallel()
	d := &revised{fleet{maker("reads", "page:reference", "list:collection"), maker("sums", "list:collection", "sum:comment")}, 1}
	r := router.New(router.Config{Directory: d, Intn: first})
	route := contract(":reference", ":comment")
	for range 2 {
		if got, err := r.Resolve(t.Context(), tenant, route); err != nil || len(got.Decision.Chain) != 2 {
			t.Fatalf("Resolve() = %+v, %v, want a chain of two", got.Decision, err)
		}
	}
	d.fleet, d.edition = fleet{maker("reads", "page:reference", "text:document"), d.fleet[1]}, 2
	if got, err := r.Resolve(t.Context(), tenant, route); err == nil {
		t.Errorf("Resolve() = %+v, want a refusal: nobody makes a collection any more", got.Decision)
	}
}
