package dynamo_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
)

func TestMain(m *testing.M) { os.Exit(dynamotest.Main(m)) }

// tables returns a client for new tables.
func tables(t *testing.T, transport http.RoundTripper) *ddb.Client {
	t.Helper()
	db := dynamotest.Open(t, transport)
	if err := db.Apply(t.Context(), dynamo.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	return db
}

// runAll runs every suite.
func runAll(t *testing.T, transport http.RoundTripper) {
	t.Helper()
	storetest.Run(t, func(t *testing.T) orchestrator.Store {
		t.Helper()
		return dynamo.New(tables(t, transport), dynamo.Options{})
	})
	storetest.RunLarge(t, func(t *testing.T) (orchestrator.Store, func() orchestrator.Store) {
		t.Helper()
		db := tables(t, transport)
		again := func() orchestrator.Store { return dynamo.New(db, dynamo.Options{}) }
		return again(), again
	})
	storetest.RunContexts(t, func(t *testing.T) orchestrator.ContextStore {
		t.Helper()
		return dynamo.New(tables(t, transport), dynamo.Options{})
	})
	storetest.RunLeases(t, func(t *testing.T) orchestrator.LeaseStore {
		t.Helper()
		return dynamo.NewLeases(tables(t, transport))
	})
}

func TestStore(t *testing.T) {
	t.Parallel()
	runAll(t, nil)
}

func TestStoreOnABadDay(t *testing.T) {
	t.Parallel()
	dynamotest.Endpoint(t) // without one there is nothing to disturb
	chaos := dynamotest.NewChaos(1)
	chaos.Throttle, chaos.Conflict, chaos.Lost, chaos.Down, chaos.Partial = 0.05, 0.05, 0.1, 0.02, 0.1
	runAll(t, chaos)
	for _, disturbance := range []string{"throttle", "conflict", "lost", "down"} {
		if chaos.Count(disturbance) == 0 {
			t.Errorf("Count(%s) = 0, want some: the test shows nothing", disturbance)
		}
	}
}
