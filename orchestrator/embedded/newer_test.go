package embedded_test

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/boltdb"
)

// What a newer version adds to a task, to the first of its attempts and to the first of its gates.
var (
	added       = protowire.AppendString(protowire.AppendTag(nil, 900, protowire.BytesType), "of the task")
	addedWithin = protowire.AppendString(protowire.AppendTag(nil, 900, protowire.BytesType), "of the attempt")
	addedJSON   = []byte(`{"Budget":"of the gate",`)
)

// TestWhatANewerVersionHasWrittenStays has a task with what is not known here, as after a way back to this version: it must be there again for the
// newer one.
func TestWhatANewerVersionHasWrittenStays(t *testing.T) {
	t.Parallel()
	db := database(t, filepath.Join(t.TempDir(), "quorate.db"))
	k := orchestrator.Key{Tenant: "default", ID: "a"}
	writeAsNewer(t, db, k)
	s, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for write := range 3 { // the later ones with what is in memory
		_, err := s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.Agent += "a"
			t.Attempts = append(slices.Clone(t.Attempts), orchestrator.Attempt{Number: 2 + write, Agent: "second"})
			t.SetGate(orchestrator.Gate{Phase: orchestrator.PhasePreCompletion, Allowed: write > 1})
			return nil, nil
		})
		if err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
		if err := db.View(func(tx *bbolt.Tx) error {
			for _, what := range [][]byte{added, addedWithin, addedJSON} {
				if n := bytes.Count(stateOf(tx, k), what); n != 1 {
					t.Errorf("after write %d what a newer version wrote, %q, is there %d times, want once", write+1, what, n)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if s, err = embedded.New(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	task, err := s.Task(t.Context(), k)
	if err != nil || task.Agent != "aaa" || len(task.Attempts) != 4 || task.Attempts[3].Number != 4 || len(task.Gates) != 2 || !task.Gates[1].Allowed {
		t.Errorf("Task() = %+v, %v, want it as it was written last", task, err)
	}
}

func stateOf(tx *bbolt.Tx, k orchestrator.Key) []byte {
	return tx.Bucket([]byte("tasks")).Get(boltdb.Key(k.Tenant, k.ID))
}

// writeAsNewer stores a task as a newer version does.
func writeAsNewer(t *testing.T, db *boltdb.DB, k orchestrator.Key) {
	t.Helper()
	s, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Create(t.Context(), orchestrator.Task{
		Tenant: k.Tenant, ID: k.ID, Message: message("do it"),
		Attempts: []orchestrator.Attempt{{Number: 1, Agent: "first"}}, Gates: []orchestrator.Gate{{Phase: orchestrator.PhasePreExecution, Allowed: true}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Update(t.Context(), func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("tasks")).Put(boltdb.Key(k.Tenant, k.ID), asNewer(stateOf(tx, k)))
	}); err != nil {
		t.Fatal(err)
	}
}

// asNewer returns a state with what a newer version adds.
func asNewer(state []byte) (b []byte) {
	const version, messages, attempts, gates = 8, 1, 10, 11
	rest := state[version:]
	for range 1 + 1 + messages + 1 { // the places: of the events, the number of messages, theirs, the number of artifacts
		_, size := binary.Uvarint(rest)
		rest = rest[size:]
	}
	b = bytes.Clone(state[:len(state)-len(rest)])
	for len(rest) > 0 {
		n, kind, tag := protowire.ConsumeTag(rest)
		size := tag + protowire.ConsumeFieldValue(n, kind, rest[tag:])
		if n == attempts || n == gates {
			v, _ := protowire.ConsumeBytes(rest[tag:])
			if v = bytes.Clone(v); n == attempts {
				v = append(v, addedWithin...)
			} else {
				v = bytes.Replace(v, []byte("{"), addedJSON, 1)
			}
			b = protowire.AppendBytes(protowire.AppendTag(b, n, kind), v)
		} else {
			b = append(b, rest[:size]...)
		}
		rest = rest[size:]
	}
	return append(b, added...)
}
