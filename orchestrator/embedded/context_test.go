package embedded_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/boltdb"
)

func conversation(id string) orchestrator.ContextKey {
	return orchestrator.ContextKey{Tenant: "default", Owner: "tester", ContextID: id, Agent: "echo"}
}

// wantContext uses a context.
func wantContext(t *testing.T, s *embedded.Store, id, want string) {
	t.Helper()
	if got, err := s.AgentContext(t.Context(), conversation(id)); got != want || err != nil {
		t.Errorf("AgentContext(%s) = %q, %v, want %q", id, got, err, want)
	}
}

// passTime lets time go by, and the store forget.
func passTime(t *testing.T, s *embedded.Store, d time.Duration) {
	t.Helper()
	<-time.After(d)
	if err := s.ForgetContexts(t.Context()); err != nil {
		t.Errorf("ForgetContexts() = %v, want no error", err)
	}
}

// TestAContextIsRememberedWhileItIsUsed uses one every other month for a year, beside one that nobody uses and one that an earlier version kept.
func TestAContextIsRememberedWhileItIsUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "quorate.db")
	synctest.Test(t, func(t *testing.T) {
		db := database(t, file)
		if err := db.Update(t.Context(), func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucket([]byte("task_contexts"))
			if err != nil {
				return err
			}
			k := conversation("old")
			return b.Put(boltdb.Key(k.Tenant, k.Owner, k.ContextID, k.Agent), []byte("remote-old"))
		}); err != nil {
			t.Fatal(err)
		}
		s, err := embedded.New(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"used", "unused"} {
			if err := s.SetAgentContext(t.Context(), conversation(id), "remote-"+id); err != nil {
				t.Fatal(err)
			}
		}
		passTime(t, s, orchestrator.ContextLife-time.Hour)
		wantContext(t, s, "old", "remote-old")
		wantContext(t, s, "used", "remote-used")
		for range 6 {
			passTime(t, s, 60*24*time.Hour)
			wantContext(t, s, "used", "remote-used")
		}
		wantContext(t, s, "unused", "")
		wantContext(t, s, "old", "")
		passTime(t, s, 2*orchestrator.ContextLife)
		wantContext(t, s, "used", "")
		if err := db.View(func(tx *bbolt.Tx) error {
			if key, _ := tx.Bucket([]byte("task_contexts")).Cursor().First(); key != nil {
				t.Errorf("the file still has contexts under %q, want none", key)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

// TestContextsOutliveAClockThatWasWrong has been used years from now, by a clock that was wrong for a moment.
func TestContextsOutliveAClockThatWasWrong(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "quorate.db")
	synctest.Test(t, func(t *testing.T) {
		db := database(t, file)
		s, err := embedded.New(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		k := conversation("early")
		if err := db.Update(t.Context(), func(tx *bbolt.Tx) error {
			b, err := tx.Bucket([]byte("task_contexts")).CreateBucket([]byte("009999"))
			if err != nil {
				return err
			}
			return b.Put(boltdb.Key(k.Tenant, k.Owner, k.ContextID, k.Agent), []byte("remote-early"))
		}); err != nil {
			t.Fatal(err)
		}
		wantContext(t, s, "early", "remote-early")
		for id, remote := range map[string]string{"early": "newer", "late": "remote-late"} {
			if err := s.SetAgentContext(t.Context(), conversation(id), remote); err != nil {
				t.Fatal(err)
			}
		}
		wantContext(t, s, "early", "newer")
		wantContext(t, s, "late", "remote-late")
		passTime(t, s, 2*orchestrator.ContextLife)
		wantContext(t, s, "early", "")
		wantContext(t, s, "late", "")
	})
}
