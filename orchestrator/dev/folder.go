package dev

import (
	"fmt"
	"os"
	"runtime"

	"github.com/quorate/quorate/platform/fault"
)

const (
	groupAndOthers = 0o077
	writable       = 0o022 // by the group or others
)

// makeDataDir makes the data folder, for this user alone, if there is none. A folder that others may write to is refused: they could put a token of
// theirs, or another store, in place of ours.
func makeDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Invalid("store.dataDir", "CONFIG_INVALID", "make the data folder: %w; choose another with --data-dir", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at the data folder: %w", err)
	}
	if othersMay(writable, info) {
		return fault.Invalid("store.dataDir", "CONFIG_INVALID", "others may write to the data folder %s (mode %s): run chmod go-w on it, or choose another with --data-dir",
			dir, info.Mode())
	}
	return nil
}

// othersMay reports whether a mode of a file has some of the bits. On Windows it says nothing about others: there the access lists of the folder decide.
func othersMay(bits os.FileMode, info os.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&bits != 0
}
