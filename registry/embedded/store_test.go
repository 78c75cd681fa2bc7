package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
	"github.com/quorate/quorate/registry/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) registry.Store {
		t.Helper()
		store, closeStore := open(t, filepath.Join(t.TempDir(), "quorate.db"))
		t.Cleanup(closeStore)
		return store
	})
}

func open(tb testing.TB, path string) (store *embedded.Store, closeStore func()) {
	tb.Helper()
	db, err := boltdb.Open(path, boltdb.Options{})
	if err != nil {
		tb.Fatalf("Open() = %v, want no error", err)
	}
	store, err = embedded.New(tb.Context(), db)
	if err != nil {
		tb.Fatalf("New() = %v, want no error", err)
	}
	return store, func() {
		if err := db.Close(); err != nil {
			tb.Errorf("Close() = %v, want no error", err)
		}
	}
}

func TestARestartFindsEverything(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quorate.db")
	first, closeFirst := open(t, path)
	storetest.Put(t, first, storetest.Record("t", "web", "fetch"))
	closeFirst()
	second, closeSecond := open(t, path)
	defer closeSecond()
	got, err := second.Agents(t.Context(), registry.Query{Tenant: "t", Skill: "fetch", Limit: 9})
	if err != nil || len(got) != 1 || got[0].Name != "web" {
		t.Errorf("Agents() = %v, %v, want web", got, err)
	}
}
