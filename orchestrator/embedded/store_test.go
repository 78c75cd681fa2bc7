package embedded_test

import (
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/boltdb"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) orchestrator.Store {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "quorate.db"))
	})
	storetest.RunLarge(t, func(t *testing.T) (orchestrator.Store, func() orchestrator.Store) {
		t.Helper()
		db := database(t, filepath.Join(t.TempDir(), "quorate.db"))
		again := func() orchestrator.Store {
			s, err := embedded.New(t.Context(), db)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		return again(), again
	})
	storetest.RunContexts(t, func(t *testing.T) orchestrator.ContextStore {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "quorate.db"))
	})
}

func TestLeases(t *testing.T) {
	storetest.RunLeases(t, func(t *testing.T) orchestrator.LeaseStore {
		t.Helper()
		s, err := embedded.NewLeases(t.Context(), database(t, filepath.Join(t.TempDir(), "quorate.db")))
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func TestAStartFindsTheLeasesButNoNodesAndNoWord(t *testing.T) {
	db := database(t, filepath.Join(t.TempDir(), "quorate.db"))
	for start := range uint64(3) {
		s, err := embedded.NewLeases(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		if nodes, err := s.Nodes(t.Context()); len(nodes) != 0 || err != nil {
			t.Errorf("Nodes() after start %d = %v, %v, want none: the process that was there is dead", start, nodes, err)
		}
		if keys, err := s.Collect(t.Context(), "a", 10); len(keys) != 0 || err != nil {
			t.Errorf("Collect(a) after start %d = %v, %v, want none: nobody else reads what was for the dead", start, keys, err)
		}
		if err := s.Post(t.Context(), "a", orchestrator.Key{Tenant: "t", ID: "1"}); err != nil {
			t.Errorf("Post() = %v", err)
		}
		if err := s.Beat(t.Context(), orchestrator.Node{ID: "a", Beats: 1}); err != nil {
			t.Errorf("Beat() = %v", err)
		}
		if l, err := s.Take(t.Context(), 1, "a", start); err != nil || l.Epoch != start+1 {
			t.Errorf("Take(1, a, %d) = %v, %v, want epoch %d", start, l, err, start+1)
		}
	}
}

func database(t *testing.T, file string) *boltdb.DB {
	t.Helper()
	db, err := boltdb.Open(file, boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func open(t *testing.T, file string) *embedded.Store {
	t.Helper()
	s, err := embedded.New(t.Context(), database(t, file))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestContentIsReadFromTheFile reads through a store that has nothing in its memory what another one wrote, replaced and left out.
func TestContentIsReadFromTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "quorate.db")
	k := orchestrator.Key{Tenant: "default", ID: "a"}
	var want orchestrator.Task
	t.Run("written", func(t *testing.T) {
		s := open(t, file)
		if _, _, err := s.Create(t.Context(), orchestrator.Task{
			Tenant: k.Tenant, ID: k.ID, ContextID: "c", Message: message("do it"), Turns: []orchestrator.Turn{{Number: 1, FromAgent: true, Message: message("which one?")}},
		}); err != nil {
			t.Fatalf("Create() = %v", err)
		}
		for _, change := range []func(*orchestrator.Task){
			func(t *orchestrator.Task) {
				t.Artifacts = []*a2apb.Artifact{{ArtifactId: "1"}, {ArtifactId: "2"}, {ArtifactId: "3"}}
				t.StatusMessage = message("busy")
			},
			func(t *orchestrator.Task) {
				t.Artifacts = []*a2apb.Artifact{t.Artifacts[0], {ArtifactId: "4"}}
				t.Turns = append(t.Turns[:1:1], orchestrator.Turn{Number: 2, Message: message("that one")})
			},
			func(t *orchestrator.Task) { t.StatusMessage = nil },
		} {
			var err error
			if want, err = s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) { change(t); return nil, nil }); err != nil {
				t.Fatalf("Update() = %v", err)
			}
		}
	})
	got, err := open(t, file).Task(t.Context(), k)
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil || len(got.Artifacts) != 2 {
		t.Errorf("Task() = %v (-want +got):\n%s", err, diff)
	}
}

func message(text string) *a2apb.Message {
	return &a2apb.Message{MessageId: text, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: text}}}}
}

// TestNobodyReadsATaskThatIsOlderThanItsEvents has readers follow a task's events while others write them.
func TestNobodyReadsATaskThatIsOlderThanItsEvents(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "quorate.db"))
	k := orchestrator.Key{Tenant: "t", ID: "1"}
	if _, _, err := s.Create(t.Context(), orchestrator.Task{Tenant: k.Tenant, ID: k.ID, Message: message("do")}); err != nil {
		t.Fatal(err)
	}
	const writes = 1000
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var after uint64
			for after < writes {
				events, err := s.Events(t.Context(), k, after, writes)
				if err != nil {
					t.Error(err)
					return
				}
				if after += uint64(len(events)); len(events) == 0 {
					runtime.Gosched() // on one processor, four busy readers would leave the writer little
				}
				if got, err := s.Task(t.Context(), k); err != nil || got.LastEvent < after {
					t.Errorf("Task() after %d events has %d of them, %v", after, got.LastEvent, err)
					return
				}
			}
		})
	}
	for range writes {
		if _, err := s.Update(t.Context(), k, func(*orchestrator.Task) ([]orchestrator.Event, error) {
			return []orchestrator.Event{{Type: orchestrator.EventState}}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	group.Wait()
}
