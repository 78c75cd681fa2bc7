package boltdb_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
)

// account writes the same number under two keys, so that a state that was never committed can be recognized.
func account(tx *bbolt.Tx, n int) error {
	b, err := tx.CreateBucketIfNotExists([]byte("b"))
	if err != nil {
		return err
	}
	ballast := make([]byte, 1000)
	return errors.Join(b.Put([]byte("first"), fmt.Append(nil, n)), b.Put(fmt.Appendf(nil, "k%06d", n), ballast), b.Put([]byte("last"), fmt.Append(nil, n)))
}

func TestACopyIsOneCommittedStateWhileOthersWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "store.db"), boltdb.Options{})
	t.Cleanup(func() { closeDB(t, db) })
	write := func(from, to int) error {
		return db.Update(t.Context(), func(tx *bbolt.Tx) error {
			var err error
			for n := from; n < to; n++ {
				err = errors.Join(err, account(tx, n))
			}
			return err
		})
	}
	const before = 2000
	if err := write(0, before); err != nil {
		t.Fatal(err)
	}
	stop, writers := make(chan struct{}), sync.WaitGroup{}
	writers.Go(func() {
		for n := before; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := write(n, n+1); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 10 {
		path := filepath.Join(dir, fmt.Sprintf("copy%d.db", i))
		size, err := db.CopyTo(t.Context(), path)
		if info, statErr := os.Stat(path); err != nil || statErr != nil || info.Size() != size || info.Mode().Perm() != 0o600 {
			t.Fatalf("CopyTo() = %d, %v, want the size of a file of our own: %v, %v", size, err, info, statErr)
		}
		copied := open(t, path, boltdb.Options{})
		if err := copied.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("b"))
			first, last, keys := string(b.Get([]byte("first"))), string(b.Get([]byte("last"))), b.Stats().KeyN
			if first != last || keys < before || strconv.Itoa(keys-3) != first {
				t.Errorf("copy %d has first %s, last %s and %d keys, want one state", i, first, last, keys)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		closeDB(t, copied)
	}
	close(stop)
	writers.Wait()
}

func TestACopyThatCannotBeDoneLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "store.db"), boltdb.Options{})
	t.Cleanup(func() { closeDB(t, db) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(dir, "copy.db")
	if _, err := db.CopyTo(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("CopyTo(with a context that has ended) = %v, want its cause", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat(the copy) = %v, want that there is none", err)
	}
	if err := os.WriteFile(path, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := db.CopyTo(t.Context(), path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("CopyTo(a file that is there) = %v, want that it is there", err)
	}
	if got, err := os.ReadFile(path); string(got) != "other" {
		t.Errorf("the file that was there is %q, %v", got, err)
	}
}
