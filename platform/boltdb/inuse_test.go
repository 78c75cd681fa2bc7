//go:build linux

package boltdb_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

// TestAFileThatGrowsUntilItIsClosedIsNotTakenAsTruncated opens a file that somebody else has open, writes to and then closes, as the old process does
// during a restart.
func TestAFileThatGrowsUntilItIsClosedIsNotTakenAsTruncated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	before := open(t, path, boltdb.Options{})
	if err := before.Update(t.Context(), put("first", "v")); err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		db, err := boltdb.Open(path, boltdb.Options{})
		if err == nil {
			err = db.Close()
		}
		opened <- err
	}()
	for descriptors(t, path) < 2 { // until the second Open waits
		runtime.Gosched()
	}
	if err := before.Update(t.Context(), put("large", strings.Repeat("x", 20<<20))); err != nil {
		t.Fatal(err)
	}
	closeDB(t, before)
	if err := <-opened; err != nil && fault.ReasonOf(err) != "STORE_LOCKED" { // on a slow machine the lock may be held for longer than Open waits
		t.Errorf("Open() of a file that grew meanwhile = %v, want no error", err)
	}
}

// descriptors returns how often this process has a file open.
func descriptors(t *testing.T, path string) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range list {
		if target, err := os.Readlink(filepath.Join("/proc/self/fd", fd.Name())); err == nil && target == path {
			n++
		}
	}
	return n
}
