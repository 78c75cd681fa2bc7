package embedded_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

// TestATaskThatCannotBeReadDoesNotHideTheOthers has a damaged task among others, and reads lists with pages of every size.
func TestATaskThatCannotBeReadDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	for name, damaged := range map[string]string{"cut off": "\x00\x00\x00", "with other bytes": "\x00\x00\x00\x00\x00\x00\x00\x01\xff\xff\xff\xff"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withDamaged(t, damaged)
			for limit := 1; limit < 7; limit++ {
				var got []string
				for _, task := range listAll(t, s, limit) {
					got = append(got, task.ID)
					if broken := task.Error != nil && task.Error.Reason == "TASK_UNREADABLE"; broken != (task.ID == "t2") || broken && (task.Owner != "" || task.CreateTime.Minute() != 2) {
						t.Errorf("Tasks() has %+v, want TASK_UNREADABLE for t2 alone, of nobody, at its time", task)
					}
				}
				if want := "t4 t3 t2 t1 t0"; strings.Join(got, " ") != want {
					t.Errorf("pages of %d have %v, want %s", limit, got, want)
				}
			}
			if _, err := s.Task(t.Context(), orchestrator.Key{Tenant: "default", ID: "t2"}); fault.ReasonOf(err) != "TASK_UNREADABLE" || !strings.Contains(err.Error(), "t2") {
				t.Errorf("Task() = %v, want TASK_UNREADABLE with the task", err)
			}
		})
	}
}

// listAll reads a list to its end in pages of a size.
func listAll(t *testing.T, s *embedded.Store, limit int) (all []orchestrator.Task) {
	t.Helper()
	for after := ""; ; {
		page, next, err := s.Tasks(t.Context(), "default", after, limit)
		if err != nil {
			t.Fatalf("Tasks() = %v", err)
		}
		all = append(all, page...)
		if after = next; after == "" {
			return all
		}
	}
}

// withDamaged returns a store with five tasks, a minute apart, the third of which is kept as given.
func withDamaged(t *testing.T, as string) *embedded.Store {
	t.Helper()
	db := database(t, filepath.Join(t.TempDir(), "quorate.db"))
	s, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		at := time.Date(2026, 1, 16, 0, i, 0, 0, time.UTC)
		if _, _, err := s.Create(t.Context(), orchestrator.Task{Tenant: "default", ID: fmt.Sprint("t", i), Owner: "ana", CreateTime: at, Message: message("do it")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Update(t.Context(), func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("tasks")).Put(boltdb.Key("default", "t2"), []byte(as))
	}); err != nil {
		t.Fatal(err)
	}
	if s, err = embedded.New(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return s
}
