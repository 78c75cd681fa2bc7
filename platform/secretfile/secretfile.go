// Package secretfile reads secrets and certificates from files, and reads them again when they change, so that they can be renewed while the process runs.
//
// A world-readable file with a secret is refused. If a changed file cannot be read, the previous content stays in use.
package secretfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/quorate/quorate/platform/bounded"
)

const (
	maxBytes   = 64 << 10
	checkEvery = 10 * time.Second // how often files are checked for changes
)

// Read returns the content of a regular file. It must have at most 64 KiB and must not be world-readable.
func Read(file string) ([]byte, error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	return bounded.Read(f, file, maxBytes)
}

// open checks the mode of the opened file, so that nobody can swap the file in between. It checks for a regular file before opening, because opening a pipe
// would block forever.
func open(file string) (*os.File, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = private(file, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func private(file string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o007 != 0 {
		return fmt.Errorf("%s may be read by everybody (mode %s): run chmod 600 on it", file, mode)
	}
	return nil
}
