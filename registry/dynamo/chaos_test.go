package dynamo_test

import (
	"testing"

	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/dynamo"
	"github.com/quorate/quorate/registry/storetest"
)

// disturbed returns a transport that does all that DynamoDB does on a bad day.
func disturbed(t *testing.T, seed uint64) *dynamotest.Chaos {
	t.Helper()
	dynamotest.Endpoint(t) // without one there is nothing to disturb
	chaos := dynamotest.NewChaos(seed)
	chaos.Throttle, chaos.Conflict, chaos.Lost, chaos.Down, chaos.Partial = 0.05, 0.1, 0.1, 0.02, 0.1
	t.Cleanup(func() {
		for _, disturbance := range []string{"throttle", "conflict", "lost", "down"} {
			if chaos.Count(disturbance) == 0 {
				t.Errorf("Count(%s) = 0, want some: the test shows nothing", disturbance)
			}
		}
	})
	return chaos
}

func TestStoreOnABadDay(t *testing.T) {
	t.Parallel()
	chaos := disturbed(t, 1)
	storetest.Run(t, func(t *testing.T) registry.Store {
		t.Helper()
		return open(t, chaos)
	})
}

func TestTheStoreDoesWhatAMapDoes(t *testing.T) {
	t.Parallel()
	storetest.RunModel(t, open(t, nil), false)
}

func TestTheStoreDoesWhatAMapDoesOnABadDay(t *testing.T) {
	t.Parallel()
	chaos := disturbed(t, 2)
	chaos.Stale = 0.3
	store := open(t, chaos)
	for range 50 { // each disturbance is due at least once in as many calls; what is drawn at random may be less
		storetest.Put(t, store, storetest.Record("t", "a", "fetch"))
		_, err := store.Agents(t.Context(), registry.Query{Tenant: "t", Skill: "fetch", Limit: 1})
		if err != nil {
			t.Fatalf("Agents() = %v, want no error", err)
		}
	}
	storetest.RunModel(t, store, true)
	if chaos.Count("stale") == 0 {
		t.Errorf("Count(stale) = 0, want some: the test shows nothing")
	}
}

func TestTheStoreIsLinearizable(t *testing.T) {
	t.Parallel()
	store := open(t, nil)
	for seed := range uint64(3) {
		storetest.RunLinearizable(t, store, seed)
	}
}

func TestTheStoreIsLinearizableOnABadDay(t *testing.T) {
	t.Parallel()
	store := open(t, disturbed(t, 3))
	for seed := range uint64(3) {
		storetest.RunLinearizable(t, store, seed)
	}
}

func TestStreamsKilledAtRandomMissNothing(t *testing.T) {
	t.Parallel()
	first, db := openBoth(t, nil)
	storetest.RunWatch(t, first, dynamo.New(db))
}
