package boltdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
)

func TestAFileInAnotherFormatIsRefusedWithAClearError(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"a line": "hello\n", "pages of another": strings.Repeat("another database ", 9999)} {
		path := filepath.Join(t.TempDir(), "quorate.db")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := boltdb.Open(path, boltdb.Options{})
		if err == nil {
			closeDB(t, db)
		}
		if err == nil || !strings.Contains(err.Error(), path+": the file is not a database of this kind, or it is damaged; replace it with a complete copy") {
			t.Errorf("Open(of %s) = %v, want words about the file and what to do", name, err)
		}
	}
}

func TestAFileThatWasCutShortIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "whole.db")
	db, err := boltdb.Open(path, boltdb.Options{})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	err = db.Update(t.Context(), func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("b"))
		for i := 0; i < 1000 && err == nil; i++ {
			err = b.Put(fmt.Appendf(nil, "%04d", i), make([]byte, 1000))
		}
		return err
	})
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	used := 0 // the rest of the file is free space
	if err := db.View(func(tx *bbolt.Tx) error { used = int(tx.Size()); return nil }); err != nil {
		t.Fatalf("View() = %v, want no error", err)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{1, 10_000, 20_000, used / 2, used - 1, used} {
		path := filepath.Join(t.TempDir(), "short.db")
		if err := os.WriteFile(path, whole[:left], 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := boltdb.Open(path, boltdb.Options{})
		if (err == nil) != (left == used) || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("Open(of %d bytes of %d) = %v, want an error with the file's name for less than all", left, used, err)
		}
		if err == nil {
			closeDB(t, db)
		}
	}
}
