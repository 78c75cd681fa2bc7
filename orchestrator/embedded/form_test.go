package embedded_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/fault"
)

func TestTasksOfAnotherVersionAreLeftAlone(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(*bbolt.Tx) error{
		"an earlier one, which wrote no form": func(tx *bbolt.Tx) error {
			tasks, err := tx.CreateBucket([]byte("tasks"))
			if err != nil {
				return err
			}
			return tasks.Put([]byte("t"), []byte("{}"))
		},
		"a later one": func(tx *bbolt.Tx) error {
			forms, err := tx.CreateBucket([]byte("tasks_form"))
			if err != nil {
				return err
			}
			return forms.Put([]byte("form"), []byte("9000"))
		},
	} {
		file := filepath.Join(t.TempDir(), "quorate.db")
		db := database(t, file)
		if err := db.Update(t.Context(), write); err != nil {
			t.Fatal(err)
		}
		_, err := embedded.New(t.Context(), db)
		if fault.ReasonOf(err) != "STORE_FORM_UNKNOWN" || !strings.Contains(err.Error(), file) {
			t.Errorf("New() on the tasks of %s = %v, want STORE_FORM_UNKNOWN with the file", name, err)
		}
	}
	db := database(t, filepath.Join(t.TempDir(), "quorate.db"))
	for range 2 {
		if _, err := embedded.New(t.Context(), db); err != nil {
			t.Errorf("New() on its own tasks = %v, want no error", err)
		}
	}
}
