package embedded_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/boltdb"
)

// TestWhatALaterVersionWroteIsKept has a task with a field that is not known here, as after a way back to this version: what it says must be there again for
// the later one.
func TestWhatALaterVersionWroteIsKept(t *testing.T) {
	t.Parallel()
	db := database(t, filepath.Join(t.TempDir(), "quorate.db"))
	s, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	k := orchestrator.Key{Tenant: "default", ID: "a"}
	if _, _, err := s.Create(t.Context(), orchestrator.Task{Tenant: k.Tenant, ID: k.ID, Message: message("do it")}); err != nil {
		t.Fatal(err)
	}
	later := protowire.AppendString(protowire.AppendTag(nil, 900, protowire.BytesType), "what it says")
	state := func(tx *bbolt.Tx) []byte { return tx.Bucket([]byte("tasks")).Get(boltdb.Key(k.Tenant, k.ID)) }
	if err := db.Update(t.Context(), func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("tasks")).Put(boltdb.Key(k.Tenant, k.ID), append(bytes.Clone(state(tx)), later...))
	}); err != nil {
		t.Fatal(err)
	}
	if s, err = embedded.New(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	for write := range 3 { // the later ones with what is in memory
		if _, err := s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.Agent += "a"
			return nil, nil
		}); err != nil {
			t.Fatalf("Update() = %v", err)
		}
		if err := db.View(func(tx *bbolt.Tx) error {
			if n := bytes.Count(state(tx), later); n != 1 {
				t.Errorf("after write %d what a later version wrote is there %d times, want once", write+1, n)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
