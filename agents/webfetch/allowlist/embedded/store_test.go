package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/agents/webfetch/allowlist/allowlisttest"
	"github.com/quorate/quorate/agents/webfetch/allowlist/embedded"
	"github.com/quorate/quorate/platform/boltdb"
)

func open(t *testing.T, path string) (*embedded.Store, *boltdb.DB) {
	t.Helper()
	db, err := boltdb.Open(path, boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	store, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return store, db
}

func TestStore(t *testing.T) {
	allowlisttest.Run(t, func(t *testing.T) allowlist.Store {
		t.Helper()
		store, db := open(t, filepath.Join(t.TempDir(), "a.db"))
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Errorf("Close() = %v, want nil", err)
			}
		})
		return store
	})
}

func TestEntriesSurviveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store, db := open(t, path)
	if _, err := store.Add(t.Context(), "t", allowlist.Entry{Domain: "example.com"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	store, db = open(t, path)
	defer func() { _ = db.Close() }()
	if e, ok, err := store.Find(t.Context(), "t", []allowlist.Domain{"example.com"}); !ok || err != nil || e.Domain != "example.com" {
		t.Errorf("Find(example.com) after reopening = %v, %t, %v, want the entry", e, ok, err)
	}
}
