package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/boltdb"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) orchestrator.Store {
		t.Helper()
		db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		s, err := embedded.New(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
