package boltdb_test

import (
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

// TestAFailedFlushShowsNothingThatMayNotBeOnDisk has the flush fail that makes a commit count: bbolt shows that commit all the same.
func TestAFailedFlushShowsNothingThatMayNotBeOnDisk(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.db")
	synctest.Test(t, func(t *testing.T) {
		db := open(t, file, boltdb.Options{})
		defer closeDB(t, db)
		if err := db.Update(t.Context(), put("key", "before")); err != nil {
			t.Fatal(err)
		}
		var repaired atomic.Bool
		db.AfterFlush(func() error {
			if repaired.Load() {
				return nil
			}
			return syscall.EIO
		})
		if err := db.Update(t.Context(), put("key", "after")); fault.ReasonOf(err) != "STORE_READ_ONLY" || !fault.From(err).Ours {
			t.Errorf("Update() whose flush fails = %v, want STORE_READ_ONLY, for an operator to see to", err)
		}
		for range 3 { // the disk stays broken
			if err := db.View(func(*bbolt.Tx) error { return nil }); fault.ReasonOf(err) != "STORE_READ_ONLY" {
				t.Errorf("View() after a failed flush = %v, want STORE_READ_ONLY: what it shows may not be on disk", err)
			}
			if err := db.Update(t.Context(), put("other", "v")); fault.ReasonOf(err) != "STORE_READ_ONLY" {
				t.Errorf("Update() after a failed flush = %v, want STORE_READ_ONLY", err)
			}
			if err := db.Ready(); fault.ReasonOf(err) != "STORE_READ_ONLY" {
				t.Errorf("Ready() after a failed flush = %v, want STORE_READ_ONLY", err)
			}
			<-time.After(time.Minute)
		}
		repaired.Store(true)
		<-time.After(6 * time.Second)
		if got := get(t, db, "key"); got != "after" || db.Ready() != nil {
			t.Errorf("Get(key) once the disk works = %q, Ready() = %v, want what was flushed with the next page", got, db.Ready())
		}
		if err := db.Update(t.Context(), put("other", "v")); err != nil {
			t.Errorf("Update() once the disk works = %v, want no error", err)
		}
	})
}

// TestReadersOfAnEarlierStateKeepItAfterAFailedFlush has a reader that has begun before a flush fails, such as a backup.
func TestReadersOfAnEarlierStateKeepItAfterAFailedFlush(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.db")
	synctest.Test(t, func(t *testing.T) {
		db := open(t, file, boltdb.Options{})
		defer closeDB(t, db)
		if err := db.Update(t.Context(), put("key", "before")); err != nil {
			t.Fatal(err)
		}
		reading, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			err := db.View(func(*bbolt.Tx) error {
				reading <- struct{}{}
				<-reading
				return nil
			})
			if err != nil {
				t.Errorf("View() that began before the flush = %v, want no error", err)
			}
		}()
		<-reading
		var once atomic.Bool
		db.AfterFlush(func() error {
			if once.Swap(true) {
				return nil
			}
			return syscall.EIO
		})
		if err := db.Update(t.Context(), put("key", "after")); fault.ReasonOf(err) != "STORE_READ_ONLY" {
			t.Errorf("Update() whose flush fails = %v, want STORE_READ_ONLY", err)
		}
		<-time.After(time.Minute)
		if err := db.Update(t.Context(), put("other", "v")); fault.ReasonOf(err) != "STORE_READ_ONLY" {
			t.Errorf("Update() while somebody reads the earlier state = %v, want STORE_READ_ONLY: it could overwrite pages of that state", err)
		}
		close(reading)
		<-done
		<-time.After(6 * time.Second)
		if err := db.Update(t.Context(), put("other", "v")); err != nil {
			t.Errorf("Update() after the reader = %v, want no error", err)
		}
	})
}

// TestNobodyReadsWhatIsNotFlushedYet reads while a commit is flushed, which bbolt shows already.
func TestNobodyReadsWhatIsNotFlushedYet(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "s.db"), boltdb.Options{})
	defer closeDB(t, db)
	var flushed atomic.Bool
	read := make(chan bool, 1)
	db.AfterFlush(func() error {
		go func() {
			err := db.View(func(*bbolt.Tx) error {
				read <- flushed.Load()
				return nil
			})
			if err != nil {
				t.Errorf("View() during a flush = %v, want no error", err)
			}
		}()
		for db.Readers() == 0 && len(read) == 0 { // until it has begun
			runtime.Gosched()
		}
		flushed.Store(true)
		return nil
	})
	if err := db.Update(t.Context(), put("key", "v")); err != nil {
		t.Fatal(err)
	}
	if !<-read {
		t.Error("View() has shown a state that is not on disk yet, want that it waits")
	}
}

// TestOpenWritesAgainWhatCounts opens a store that a process may have left whose last flush failed: the system then shows what may not be on disk.
func TestOpenWritesAgainWhatCounts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.db")
	newest := func() (id int) {
		db := open(t, file, boltdb.Options{})
		defer closeDB(t, db)
		if err := db.View(func(tx *bbolt.Tx) error { id = tx.ID(); return nil }); err != nil {
			t.Fatal(err)
		}
		return id
	}
	if first, second := newest(), newest(); second != first+1 {
		t.Errorf("the newest transaction of a store that is opened again is %d after %d, want one more, which was flushed", second, first)
	}
}
