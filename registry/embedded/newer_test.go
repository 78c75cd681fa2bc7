package embedded_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/embedded"
	"github.com/quorate/quorate/registry/storetest"
)

// After a way back to this version, what a newer one has written stays for the time when that one is used again.
func TestWhatANewerVersionHasWrittenStays(t *testing.T) {
	t.Parallel()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	r := storetest.Record("t", "a", "fetch")
	r.Metadata.ConsultationRequirements = []agentcard.ConsultationRequirement{{ID: "old", TargetAgent: "b"}}
	storetest.Put(t, s, r)
	added := []string{`"budget":"of the agent",`, `"deputy":"of the requirement",`}
	stored := func(tx *bbolt.Tx) []byte { return tx.Bucket([]byte("registry_agents")).Get(boltdb.Key("t", "a")) }
	err = db.Update(t.Context(), func(tx *bbolt.Tx) error {
		const serial = 8
		value := strings.Replace(string(stored(tx)[serial:]), "{", "{"+added[0], 1)
		value = strings.Replace(value, `"consultation_requirements":[{`, `"consultation_requirements":[{`+added[1], 1)
		return tx.Bucket([]byte("registry_agents")).Put(boltdb.Key("t", "a"), append(make([]byte, serial), value...))
	})
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	next := *r
	for _, id := range []string{"first", "second"} {
		next.Etag = id
		next.Metadata.ConsultationRequirements = append([]agentcard.ConsultationRequirement{{ID: id, TargetAgent: "b"}}, next.Metadata.ConsultationRequirements...)
		storetest.Put(t, s, &next)
		err := db.View(func(tx *bbolt.Tx) error {
			for _, what := range added {
				if bytes.Count(stored(tx), []byte(what[:len(what)-1])) != 1 {
					t.Errorf("the agent with requirement %s = %s, want %s in it once", id, stored(tx), what)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("View() = %v, want no error", err)
		}
	}
	if got, err := s.Agent(t.Context(), r.Key()); err != nil || len(got.Metadata.ConsultationRequirements) != 3 || got.Etag != "second" {
		t.Errorf("Agent() = %+v, %v, want it as it was written last", got, err)
	}
}
