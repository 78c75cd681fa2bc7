package boltdb_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/quorate/quorate/platform/boltdb"
)

// TestALookFindsAFileThatMayNotBeWritten has a user look who may read the file only. It is not parallel, and not root while it looks: root may write to all files.
func TestALookFindsAFileThatMayNotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	closeDB(t, open(t, path, boltdb.Options{}))
	for name, mode := range map[string]fs.FileMode{path: 0o444, filepath.Dir(path): 0o755, filepath.Dir(filepath.Dir(path)): 0o755} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if os.Geteuid() == 0 {
		const nobody = 65534
		if err := syscall.Setfsuid(nobody); err != nil { // of this thread only
			t.Fatal(err)
		}
		defer func() {
			if err := syscall.Setfsuid(0); err != nil {
				t.Error(err)
			}
		}()
	}
	if err := boltdb.Look(path, boltdb.Options{}); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), path) {
		t.Errorf("Look(at a file that may only be read) = %v, want that permission is denied", err)
	}
}
