package router_test

import (
	"context"
	"errors"
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
)

// away is a directory whose store is away.
type away struct {
	fleet

	refresh, sync error
}

func (a away) Refresh(context.Context, string) error              { return a.refresh }
func (a away) SyncStatuses(context.Context, string) (bool, error) { return false, a.sync }

// TestWithoutTheStoreNothingIsRefused has it be away, so that agents may have joined of which nothing is known.
func TestWithoutTheStoreNothingIsRefused(t *testing.T) {
	t.Parallel()
	gone := errors.New("the store is away")
	for name, test := range map[string]struct {
		directory away
		skill     string
		want      error
	}{
		"before a decision":      {away{refresh: gone}, "work", gone},
		"before a refusal":       {away{sync: gone}, "other", gone},
		"where nothing is asked": {away{sync: gone}, "work", nil},
	} {
		test.directory.fleet = fleet{agent("a", registry.StatusAvailable)}
		got, err := router.New(router.Config{Directory: test.directory, Intn: first}).Resolve(t.Context(), tenant, orchestrator.Route{Skill: test.skill})
		if !errors.Is(err, test.want) || got.Decision.Refused != "" || (got.Decision.Chosen == "") != (test.want != nil) {
			t.Errorf("%s: Resolve() = %+v, %v, want %v, and no refusal", name, got.Decision, err, test.want)
		}
	}
}

// TestWithoutTheStoreNobodyStandsIn has an agent whose step it is, and another one that could take it.
func TestWithoutTheStoreNobodyStandsIn(t *testing.T) {
	t.Parallel()
	gone, other := errors.New("the store is away"), maker("other", "idea:comment", "story:reference")
	r := router.New(router.Config{Directory: away{fleet: fleet{other}, refresh: gone}, Intn: first})
	chain := []orchestrator.Link{{Agent: "first", Inputs: typed("idea:comment"), Output: typed("story:reference")[0], Takes: []orchestrator.Take{{As: "idea"}}}}
	if got, err := r.ResolveStep(t.Context(), tenant, chain, 0); !errors.Is(err, gone) || got.Decision.Chosen != "" {
		t.Errorf("ResolveStep() = %+v, %v, want %v: it is not known whether the step's own agent can take it", got.Decision, err, gone)
	}
}
