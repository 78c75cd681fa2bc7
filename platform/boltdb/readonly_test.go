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
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
)

// fileOfChild is the environment variable that names the store of a process whose files cannot grow, or cannot be written.
const fileOfChild = "QUORATE_TEST_STORE"

// inChild runs a test in a process of its own, because limits apply to a whole process. It reports whether this is that process, whose store is then in file, and
// otherwise waits for it.
func inChild(t *testing.T, file string) (child bool, stored string) {
	t.Helper()
	if stored := config.Env(fileOfChild); stored != "" {
		return true, stored
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), fileOfChild+"="+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the process with the store: %v\n%s", err, out)
	}
	return false, file
}

// TestAFullDiskIsWrittenToAgainOnceThereIsSpace has the system refuse writes behind a place in the file, as those for which there is no space.
func TestAFullDiskIsWrittenToAgainOnceThereIsSpace(t *testing.T) {
	child, file := inChild(t, filepath.Join(t.TempDir(), "s.db"))
	if child {
		synctest.Test(t, func(t *testing.T) { fill(t, file) })
		return
	}
	db := open(t, file, boltdb.Options{})
	defer closeDB(t, db)
	for key, want := range map[string]string{"first": "v", "later": "v", "large": "", "small": ""} {
		if got := get(t, db, key); got != want {
			t.Errorf("Get(%s) of a store that was opened again = %q, want %q", key, got, want)
		}
	}
}

func fill(t *testing.T, file string) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	db := open(t, file, boltdb.Options{})
	defer closeDB(t, db)
	if err := db.Update(t.Context(), put("first", "v")); err != nil || db.Ready() != nil {
		t.Fatalf("Update() = %v, Ready() = %v, want nil", err, db.Ready())
	}
	if err := db.Update(t.Context(), put("extends", strings.Repeat("x", 100<<10))); err != nil {
		t.Fatal(err)
	}
	limit(t, 1<<20)
	large := strings.Repeat("x", 2<<20) // bbolt has extended the file beyond that
	if err := db.Update(t.Context(), put("large", large)); fault.ReasonOf(err) != "STORE_FULL" || fault.KindOf(err) != fault.Unavailable || !fault.From(err).Ours {
		t.Errorf("Update() without space = %v, want STORE_FULL, for an operator to see to", err)
	}
	if err := db.Update(t.Context(), put("small", "v")); fault.ReasonOf(err) != "STORE_FULL" || fault.ReasonOf(db.Ready()) != "STORE_FULL" {
		t.Errorf("Update() right after it = %v, Ready() = %v, want STORE_FULL for both", err, db.Ready())
	}
	<-time.After(6 * time.Second)
	if err := db.Update(t.Context(), put("large", large)); fault.ReasonOf(err) != "STORE_FULL" {
		t.Errorf("Update() still without space = %v, want STORE_FULL", err)
	}
	<-time.After(time.Minute)
	if err := db.Ready(); err != nil {
		t.Errorf("Ready() of a store to which nobody has written for a minute = %v, want nil: nobody knows that there is no space", err)
	}
	if err := db.Update(t.Context(), put("large", large)); fault.ReasonOf(err) != "STORE_FULL" {
		t.Errorf("Update() a minute later = %v, want STORE_FULL", err)
	}
	limit(t, 64<<20)
	<-time.After(6 * time.Second)
	if err := db.Update(t.Context(), put("later", "v")); err != nil || db.Ready() != nil {
		t.Errorf("Update() once there is space = %v, Ready() = %v, want nil for both", err, db.Ready())
	}
}

// TestAStoreThatCannotWriteSaysSo has the system refuse to extend the file.
func TestAStoreThatCannotWriteSaysSo(t *testing.T) {
	child, file := inChild(t, filepath.Join(t.TempDir(), "s.db"))
	if child {
		synctest.Test(t, func(t *testing.T) { outgrow(t, file) })
		return
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
		t.Errorf("Update() right after it = %v, want STORE_READ_ONLY: it is soon enough to try again in seconds", err)
	}
	if err := db.Ready(); fault.ReasonOf(err) != "STORE_READ_ONLY" {
		t.Errorf("Ready() = %v, want STORE_READ_ONLY", err)
	}
	if got := get(t, db, "first"); got != "v" {
		t.Errorf("Get(first) = %q, want what was written before", got)
	}
	<-time.After(6 * time.Second)
	if err := db.Update(t.Context(), put("small", "v")); err != nil || db.Ready() != nil {
		t.Errorf("Update() once the file can be extended = %v, Ready() = %v, want nil for both", err, db.Ready())
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
