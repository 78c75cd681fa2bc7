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
