// Package secretfile reads secrets and certificates from files, and reads them again when they change, so that they can be renewed while the process runs.
//
// A world-readable file with a secret is refused. If a changed file cannot be read, the previous content stays in use.
package secretfile

import (
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
	content, _, err := read(file)
	return content, err
}

func read(file string) ([]byte, fs.FileInfo, error) {
	return readRegular(file, maxBytes, private)
}

// readPublic returns the content of a regular file that everybody may read, of at most so many bytes.
func readPublic(file string, most int64) ([]byte, error) {
	content, _, err := readRegular(file, most, func(string, fs.FileInfo) error { return nil })
	return content, err
}

// readRegular returns the content of a regular file, once check has accepted it. It looks before it opens the file, because opening a pipe would block
// forever. It checks the opened file, so that nobody can swap the file in between.
func readRegular(file string, most int64, check func(string, fs.FileInfo) error) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	if info, err = f.Stat(); err == nil {
		err = check(file, info)
	}
	if err != nil {
		return nil, nil, err
	}
	content, err := bounded.Read(f, file, most)
	return content, info, err
}

func private(file string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o007 != 0 {
		return fmt.Errorf("%s may be read by everybody (mode %s): run chmod 600 on it", file, mode)
	}
	return nil
}
