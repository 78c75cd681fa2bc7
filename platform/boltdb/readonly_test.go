//go:build linux || darwin

package boltdb_test

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
)

// fileOfChild is the environment variable that names the store of a process whose files cannot grow.
const fileOfChild = "QUORATE_TEST_STORE"

// TestAStoreThatCannotWriteSaysSo runs itself in a process of its own, because the limit on file size applies to a whole process.
func TestAStoreThatCannotWriteSaysSo(t *testing.T) {
	if file := config.Env(fileOfChild); file != "" {
		outgrow(t, file)
		return
	}
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.db")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), fileOfChild+"="+file)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("the process whose files cannot grow: %v\n%s", err, out)
	}
	db := open(t, file, boltdb.Options{})
	if err := db.Ready(); err != nil {
		t.Errorf("Ready() of a store that was opened again = %v, want nil", err)
	}
	if err := db.Update(t.Context(), put("later", "v")); err != nil || get(t, db, "first") != "v" {
		t.Errorf("Update() of a store that was opened again = %v, Get(first) = %q, want no error and what was written", err, get(t, db, "first"))
	}
	closeDB(t, db)
	if got := fault.ReasonOf(db.Ready()); got != "STORE_CLOSED" {
		t.Errorf("Ready() of a closed store = %q, want STORE_CLOSED", got)
	}
}

// outgrow writes to a store until its file cannot grow any more, and then continues to write.
func outgrow(t *testing.T, file string) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	db := open(t, file, boltdb.Options{})
	defer closeDB(t, db)
	if err := db.Update(t.Context(), put("first", "v")); err != nil || db.Ready() != nil {
		t.Fatalf("Update() = %v, Ready() = %v, want nil", err, db.Ready())
	}
	const large = 64 << 20
	limit(t, 1<<20)
	if err := db.Update(t.Context(), put("large", strings.Repeat("x", large))); fault.ReasonOf(err) != "STORE_READ_ONLY" || fault.KindOf(err) != fault.Unavailable || !fault.From(err).Ours {
		t.Errorf("Update() beyond the limit = %v, want STORE_READ_ONLY, for an operator to see to", err)
	}
	limit(t, 2*large)
	if err := db.Update(t.Context(), put("small", "v")); fault.ReasonOf(err) != "STORE_READ_ONLY" {
		t.Errorf("Update() once there is room = %v, want STORE_READ_ONLY: nobody knows what reached the disk", err)
	}
	if err := db.Ready(); fault.ReasonOf(err) != "STORE_READ_ONLY" {
		t.Errorf("Ready() = %v, want STORE_READ_ONLY", err)
	}
	if got := get(t, db, "first"); got != "v" {
		t.Errorf("Get(first) = %q, want what was written before", got)
	}
}

// limit limits the size of the files of this process.
func limit(t *testing.T, bytes uint64) {
	t.Helper()
	const most = 1 << 30
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: most}); err != nil {
		t.Fatal(err)
	}
}
