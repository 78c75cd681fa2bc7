// Package benchtest is what benchmarks of this module have in common.
package benchtest

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
)

// Ballast is how many bytes of memory that nobody touches have garbage collected as seldom as in a server.
const Ballast = 64 << 20

// Share has callers do something n times in all, and returns how long it took. What fails is an error of tb and ends its caller.
func Share(tb testing.TB, callers, n int, do func() error) time.Duration {
	tb.Helper()
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	begin := time.Now()
	for range callers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := do(); err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begin)
}

// Puts opens a store of its own until tb ends, and returns what makes one kilobyte more durable there.
func Puts(tb testing.TB) func() error {
	tb.Helper()
	value := make([]byte, 1000)
	return writes(tb, func(tx *bbolt.Tx, id string) error { return put(tx, "items", id, value) })
}

// Records opens a store of its own until tb ends, and returns what makes a record of one kilobyte more durable there together with two entries of indexes that
// lead to it, as those of a task do.
func Records(tb testing.TB) func() error {
	tb.Helper()
	value := make([]byte, 1000)
	return writes(tb, func(tx *bbolt.Tx, id string) error {
		return errors.Join(put(tx, "records", id, value), put(tx, "by_state", "working\x00"+id, nil), put(tx, "by_agent", "echo\x00"+id, nil))
	})
}

// writes returns what has write add one more to a store, each with an id of its own.
func writes(tb testing.TB, write func(tx *bbolt.Tx, id string) error) func() error {
	tb.Helper()
	db, err := boltdb.Open(filepath.Join(tb.TempDir(), "raw.db"), boltdb.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	var last atomic.Int64
	return func() error {
		return db.Update(tb.Context(), func(tx *bbolt.Tx) error { return write(tx, fmt.Sprintf("%016x", last.Add(1))) })
	}
}

func put(tx *bbolt.Tx, bucket, key string, value []byte) error {
	into, err := tx.CreateBucketIfNotExists([]byte(bucket))
	if err != nil {
		return err
	}
	return into.Put([]byte(key), value)
}
