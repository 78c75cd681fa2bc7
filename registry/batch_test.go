package registry_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestManyAgentsAreReadAtOnce has a call of the store for each page of agents, not for each agent: with DynamoDB that takes some milliseconds.
func TestManyAgentsAreReadAtOnce(t *testing.T) {
	t.Parallel()
	_, store := openPulseStore(t)
	r := registry.New(store, registry.Options{})
	var all []string
	for i := range 20 {
		name := "a" + strconv.Itoa(i)
		searchable(t, r, name, "", "s|d|t")
		all = append(all, name)
	}
	order, err := registry.ParseOrder("create_time")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		calls int64
		read  func() (int, error)
	}{
		"the directory": {1, func() (int, error) {
			err := r.Directory().Sync(t.Context(), tenant)
			return len(r.Directory().Listing(tenant).Agents), err
		}},
		"a batch": {1, func() (int, error) {
			list, err := r.BatchAgents(t.Context(), tenant, all)
			return len(list), err
		}},
		"a search": {1, func() (int, error) {
			list, _, err := r.Search(t.Context(), tenant, registry.Search{Skill: "s", Limit: 50})
			return len(list), err
		}},
		"an order": {1, func() (int, error) {
			list, _, err := r.AgentsInOrder(t.Context(), tenant, order, registry.Filter{}, "", 50)
			return len(list), err
		}},
	} {
		synced(t, r.Directory())
		if name == "the directory" {
			for _, agent := range all {
				if _, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, agent, "", nil, agentcard.Metadata{AtMostOnceSkills: []string{"s"}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		before := store.calls.Load()
		if n, err := test.read(); err != nil || n != len(all) {
			t.Errorf("%s has %d agents, %v, want %d", name, n, err, len(all))
		}
		if calls := store.calls.Load() - before; calls > test.calls {
			t.Errorf("%s takes %d calls of the store, want %d", name, calls, test.calls)
		}
	}
}

func TestABatchIsInTheOrderOfItsNames(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	register(t, r, "a")
	register(t, r, "b")
	list, err := r.BatchAgents(t.Context(), tenant, []string{"b", "a", "b"})
	var got []string
	for i := range list {
		got = append(got, list[i].Name)
	}
	if err != nil || !slices.Equal(got, []string{"b", "a", "b"}) {
		t.Errorf("BatchAgents() = %q, %v, want b, a and b", got, err)
	}
	_, err = r.BatchAgents(t.Context(), tenant, []string{"a", "x", "y"})
	if missing := fault.From(err); missing == nil || missing.Reason != "AGENT_NOT_FOUND" || missing.Metadata["agent"] != "x" {
		t.Errorf("BatchAgents() with names of nobody = %v, want AGENT_NOT_FOUND for the first", err)
	}
}
