package dynamo_test

import (
	"flag"
	"net/http"
	"os"
	"testing"

	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/dynamo"
	"github.com/quorate/quorate/registry/storetest"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": "6", "rapid.steps": "15"} { // each step is slow; flags ask for more
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(dynamotest.Main(m))
}

// open returns a store in new tables.
func open(tb testing.TB, transport http.RoundTripper) *dynamo.Store {
	tb.Helper()
	db := dynamotest.Open(tb, transport)
	if err := db.Apply(tb.Context(), dynamo.Tables(), nil); err != nil {
		tb.Fatalf("Apply() = %v, want no error", err)
	}
	return dynamo.New(db)
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) registry.Store {
		t.Helper()
		return open(t, nil)
	})
}

func TestVersions(t *testing.T) {
	t.Parallel()
	storetest.RunVersions(t, func(t *testing.T) storetest.VersionedStore {
		t.Helper()
		return open(t, nil)
	})
}
