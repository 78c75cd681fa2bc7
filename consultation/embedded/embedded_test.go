package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/consultation/storetest"
	"github.com/quorate/quorate/platform/boltdb"
)

func open(t *testing.T, path string) *boltdb.DB {
	t.Helper()
	db, err := boltdb.Open(path, boltdb.Options{})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	return db
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) consultation.Store {
		t.Helper()
		db := open(t, filepath.Join(t.TempDir(), "spans.db"))
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Errorf("Close() = %v, want no error", err)
			}
		})
		return embedded.New(db)
	})
}

func TestEntriesSurviveARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "spans.db")
	db := open(t, path)
	want := consultation.Consultation{ID: "1", Tenant: "a", TaskID: "t", State: consultation.StateOpen}
	err := embedded.New(db).Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) { return want, nil })
	if err != nil {
		t.Fatalf("Append() = %v, want no error", err)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	db = open(t, path)
	t.Cleanup(func() { _ = db.Close() })
	got, err := embedded.New(db).List(t.Context(), "a", "t")
	if err != nil || len(got) != 1 || got[0].Consultation.ID != "1" {
		t.Errorf("List() after a restart = %v, %v, want consultation 1", got, err)
	}
}
