package boltdb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

var (
	bucket     = []byte("b")
	errRefused = errors.New("refused")
)

func open(tb testing.TB, path string, opts boltdb.Options) *boltdb.DB {
	tb.Helper()
	db, err := boltdb.Open(path, opts)
	if err != nil {
		tb.Fatalf("Open(%s) = %v, want no error", path, err)
	}
	return db
}

func closeDB(tb testing.TB, db *boltdb.DB) {
	tb.Helper()
	if err := db.Close(); err != nil {
		tb.Errorf("Close() = %v, want no error", err)
	}
}

func put(key, value string) func(*bbolt.Tx) error {
	return func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil {
			return err
		}
		return b.Put([]byte(key), []byte(value))
	}
}

func get(t *testing.T, db *boltdb.DB, key string) (value string) {
	t.Helper()
	err := db.View(func(tx *bbolt.Tx) error {
		if b := tx.Bucket(bucket); b != nil {
			value = string(b.Get([]byte(key)))
		}
		return nil
	})
	if err != nil {
		t.Errorf("View() = %v, want no error", err)
	}
	return value
}

func TestUpdatesSurviveReopening(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "store.db")
	db := open(t, path, boltdb.Options{})
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			if err := db.Update(t.Context(), put(strconv.Itoa(i), "v")); err != nil {
				t.Errorf("Update(%d) = %v, want no error", i, err)
			}
		})
	}
	group.Wait()
	if err := db.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	db = open(t, path, boltdb.Options{})
	for i := range 100 {
		if got := get(t, db, strconv.Itoa(i)); got != "v" {
			t.Errorf("get(%d) = %q, want %q", i, got, "v")
		}
	}
	if err := db.Close(); err != nil {
		t.Errorf("Close() = %v, want no error", err)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("Stat(%s) = %v, %v, want mode %v", name, info.Mode(), err, want)
		}
	}
}

// hold keeps the committer busy, so that all updates until release form one group.
func hold(t *testing.T, db *boltdb.DB, group *sync.WaitGroup) (release func()) {
	t.Helper()
	held, end := make(chan struct{}), make(chan struct{})
	group.Go(func() {
		_ = db.Update(t.Context(), func(*bbolt.Tx) error { close(held); <-end; return nil })
	})
	<-held
	return func() { close(end) }
}

func TestAFailingClosureTakesBackOnlyItself(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "s.db"), boltdb.Options{})
	defer closeDB(t, db)
	var group sync.WaitGroup
	release := hold(t, db, &group)
	for i := range 60 {
		group.Go(func() {
			key := strconv.Itoa(i)
			err := db.Update(t.Context(), func(tx *bbolt.Tx) error {
				if err := put(key, "v")(tx); err != nil {
					return err
				}
				switch i % 3 {
				case 1:
					return errRefused
				case 2:
					panic("boom")
				}
				return nil
			})
			switch i % 3 {
			case 0:
				if err != nil {
					t.Errorf("Update(%d) = %v, want no error", i, err)
				}
			case 1:
				if !errors.Is(err, errRefused) {
					t.Errorf("Update(%d) = %v, want %v", i, err, errRefused)
				}
			case 2:
				if err == nil || !strings.Contains(err.Error(), "boom") {
					t.Errorf("Update(%d) = %v, want the panic as an error", i, err)
				}
			}
		})
	}
	release()
	group.Wait()
	for i := range 60 {
		want := ""
		if i%3 == 0 {
			want = "v"
		}
		if got := get(t, db, strconv.Itoa(i)); got != want {
			t.Errorf("get(%d) = %q, want %q", i, got, want)
		}
	}
}

// TestARefusalThatWroteNothingCostsTheOthersNothing has many of a group find that they cannot write, as the beats of processes that were replaced do.
func TestARefusalThatWroteNothingCostsTheOthersNothing(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "s.db"), boltdb.Options{})
	defer closeDB(t, db)
	var group sync.WaitGroup
	release := hold(t, db, &group)
	var runs atomic.Int64
	for i := range 60 {
		group.Go(func() {
			refuse := i%3 > 0
			err := db.Update(t.Context(), func(tx *bbolt.Tx) error {
				runs.Add(1)
				if refuse {
					return boltdb.Unwritten(errRefused)
				}
				return put(strconv.Itoa(i), "v")(tx)
			})
			if refuse && err != errRefused || !refuse && err != nil { //nolint:errorlint // the error itself
				t.Errorf("Update(%d) = %v, want it refused: %t", i, err, refuse)
			}
		})
	}
	release()
	group.Wait()
	if got := runs.Load(); got != 60 {
		t.Errorf("60 closures ran %d times, want each once", got)
	}
	for i := range 60 {
		if got := get(t, db, strconv.Itoa(i)); (got == "v") != (i%3 == 0) {
			t.Errorf("get(%d) = %q, want v of those only that were not refused", i, got)
		}
	}
}

func TestNothingIsFlushedIfAllAreRefused(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "s.db"), boltdb.Options{})
	defer closeDB(t, db)
	db.AfterFlush(func() error { t.Error("a transaction was flushed, want none"); return nil })
	if err := db.Update(t.Context(), func(*bbolt.Tx) error { return boltdb.Unwritten(errRefused) }); !errors.Is(err, errRefused) {
		t.Errorf("Update() = %v, want %v", err, errRefused)
	}
	if err := boltdb.Unwritten(nil); err != nil {
		t.Errorf("Unwritten(nil) = %v, want nil", err)
	}
}

func TestUpdateStopsWaitingInTheQueue(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "s.db"), boltdb.Options{})
	defer closeDB(t, db)
	var group sync.WaitGroup
	release := hold(t, db, &group)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // each comes into the queue by chance
		if err := db.Update(ctx, put("k", "v")); !errors.Is(err, context.Canceled) {
			t.Errorf("Update(canceled) = %v, want %v", err, context.Canceled)
		}
	}
	release()
	group.Wait()
	if err := db.Update(t.Context(), put("next", "v")); err != nil {
		t.Errorf("Update() = %v, want no error", err)
	}
	if got := get(t, db, "k"); got != "" {
		t.Errorf("get(k) = %q after its update was given up, want nothing", got)
	}
}

func TestAnUpdateThatHasBegunIsNotInterrupted(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "s.db"), boltdb.Options{})
	defer closeDB(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Update(ctx, func(tx *bbolt.Tx) error {
		cancel()
		return put("k", "v")(tx)
	})
	if got := get(t, db, "k"); err != nil || got != "v" {
		t.Errorf("Update() = %v and get(k) = %q, want that it was done, and says so", err, got)
	}
}

func TestOpenTellsThatTheStoreIsInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	db := open(t, path, boltdb.Options{})
	defer closeDB(t, db)
	_, err := boltdb.Open(path, boltdb.Options{})
	if fault.ReasonOf(err) != "STORE_LOCKED" || fault.KindOf(err) != fault.FailedPrecondition {
		t.Errorf("Open(%s) twice = %v, want STORE_LOCKED", path, err)
	}
}

func TestAClosedStoreSaysSo(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "s.db"), boltdb.Options{})
	if err := db.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	if err := db.Update(t.Context(), put("k", "v")); fault.ReasonOf(err) != "STORE_CLOSED" {
		t.Errorf("Update() after Close() = %v, want STORE_CLOSED", err)
	}
	if err := db.View(func(*bbolt.Tx) error { return nil }); fault.ReasonOf(err) != "STORE_CLOSED" {
		t.Errorf("View() after Close() = %v, want STORE_CLOSED", err)
	}
}

func TestCloseAnswersEveryUpdate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	db := open(t, path, boltdb.Options{})
	answers := make([]error, 200)
	var group sync.WaitGroup
	started := make(chan struct{}, len(answers))
	for i := range answers {
		group.Go(func() {
			started <- struct{}{}
			answers[i] = db.Update(t.Context(), put(strconv.Itoa(i), "v"))
		})
	}
	for range len(answers) / 2 {
		<-started
	}
	if err := db.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	group.Wait()
	db = open(t, path, boltdb.Options{})
	defer closeDB(t, db)
	for i, err := range answers {
		want := "v"
		if err != nil {
			want = ""
			if fault.ReasonOf(err) != "STORE_CLOSED" {
				t.Errorf("Update(%d) = %v, want STORE_CLOSED", i, err)
			}
		}
		if got := get(t, db, strconv.Itoa(i)); got != want {
			t.Errorf("get(%d) = %q after the answer %v, want %q", i, got, err, want)
		}
	}
}

func TestAFullStoreRefusesAndGoesOn(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "s.db"), boltdb.Options{MaxBytes: 1 << 20})
	defer closeDB(t, db)
	if err := db.Update(t.Context(), put("big", strings.Repeat("x", 2<<20))); fault.ReasonOf(err) != "STORE_FULL" {
		t.Errorf("Update(2 MiB) = %v, want STORE_FULL", err)
	}
	if err := db.Update(t.Context(), put("small", "v")); err != nil {
		t.Errorf("Update(small) = %v, want no error", err)
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			db := open(b, filepath.Join(b.TempDir(), "s.db"), boltdb.Options{})
			defer closeDB(b, db)
			value := strings.Repeat("x", 1<<10)
			work := make(chan int)
			var group sync.WaitGroup
			for range writers {
				group.Go(func() {
					for i := range work {
						if err := db.Update(b.Context(), put(fmt.Sprintf("%012d", i), value)); err != nil {
							b.Errorf("Update() = %v, want no error", err)
						}
					}
				})
			}
			for i := 0; b.Loop(); i++ {
				work <- i
			}
			close(work)
			group.Wait()
		})
	}
}
