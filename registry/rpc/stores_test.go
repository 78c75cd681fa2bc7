package rpc_test

import (
	"os"
	"testing"

	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/dynamo"
	"github.com/quorate/quorate/registry/registrytest"
)

func TestMain(m *testing.M) { os.Exit(dynamotest.Main(m)) }

// onEachStore runs a black-box test over each store.
func onEachStore(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	onEachStoreWith(t, registry.Options{}, test)
}

func onEachStoreWith(t *testing.T, o registry.Options, test func(t *testing.T, url string)) {
	t.Helper()
	stores := map[string]func(*testing.T) *registry.Registry{
		"embedded": func(t *testing.T) *registry.Registry {
			t.Helper()
			return registrytest.New(t, o)
		},
		"dynamodb": func(t *testing.T) *registry.Registry {
			t.Helper()
			db := dynamotest.Open(t, nil)
			if err := db.Apply(t.Context(), dynamo.Tables(), nil); err != nil {
				t.Fatalf("Apply() = %v, want no error", err)
			}
			return registry.New(dynamo.New(db), o)
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, serveOn(t, open(t)))
		})
	}
}
