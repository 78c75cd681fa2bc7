// Package registrytest gives tests a real registry: the domain over an embedded store of its own, in a file that ends with the
// test.
package registrytest

import (
	"path/filepath"
	"testing"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// New returns an empty registry.
func New(tb testing.TB, o registry.Options) *registry.Registry {
	tb.Helper()
	return registry.New(Store(tb), o)
}

// Store returns an empty store.
func Store(tb testing.TB) *embedded.Store {
	tb.Helper()
	db, err := boltdb.Open(filepath.Join(tb.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		tb.Fatalf("Open() = %v, want no error", err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("Close() = %v, want no error", err)
		}
	})
	store, err := embedded.New(tb.Context(), db)
	if err != nil {
		tb.Fatalf("New() = %v, want no error", err)
	}
	return store
}
