//go:build linux

package boltdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
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

// TestAStoreWhoseFileIsGoneTakesNoMoreWrites has an operator move the file away, put another one there, and put it back.
func TestAStoreWhoseFileIsGoneTakesNoMoreWrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	db := open(t, path, boltdb.Options{})
	defer closeDB(t, db)
	if err := db.Update(t.Context(), put("first", "v")); err != nil {
		t.Fatal(err)
	}
	refused := func(when string) {
		t.Helper()
		if err := db.Update(t.Context(), put("later", "v")); fault.ReasonOf(err) != "STORE_REMOVED" || !fault.From(err).Ours || fault.ReasonOf(db.Ready()) != "STORE_REMOVED" {
			t.Errorf("%s: Update() = %v, Ready() = %v, want STORE_REMOVED for both, for an operator to see to", when, err, db.Ready())
		}
		if got := get(t, db, "first"); got != "v" {
			t.Errorf("%s: Get(first) = %q, want what was written before", when, got)
		}
	}
	away := path + ".away"
	if err := os.Rename(path, away); err != nil {
		t.Fatal(err)
	}
	refused("without a file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("with another file")
	if err := os.Rename(away, path); err != nil {
		t.Fatal(err)
	}
	if err := db.Update(t.Context(), put("later", "v")); err != nil || db.Ready() != nil {
		t.Errorf("Update() with the file back = %v, Ready() = %v, want nil for both", err, db.Ready())
	}
}

// TestAProcessWithFewAddressesOpensAStore leaves fewer addresses than a file is mapped into otherwise.
func TestAProcessWithFewAddressesOpensAStore(t *testing.T) {
	child, file := inChild(t, filepath.Join(t.TempDir(), "s.db"))
	if !child {
		return
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &before); err != nil {
		t.Fatal(err)
	}
	limit := syscall.Rlimit{Cur: addressesInUse(t) + 8<<30, Max: before.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	db := open(t, file, boltdb.Options{})
	defer closeDB(t, db)
	if err := db.Update(t.Context(), put("key", "v")); err != nil || get(t, db, "key") != "v" {
		t.Errorf("Update() = %v, Get(key) = %q, want no error and what was written", err, get(t, db, "key"))
	}
}

// addressesInUse returns how many bytes of address space this process has.
func addressesInUse(t *testing.T) (bytes uint64) {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(statm), &bytes)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bytes * uint64(os.Getpagesize())
}
