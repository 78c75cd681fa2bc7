// Package secretfile reads secrets and certificates that an operator keeps in files, again when they change: they are renewed while we run.
//
// A file with a secret that everybody may read is refused. One that cannot be read again is no reason to stop with what was read before.
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
	checkEvery = 10 * time.Second // how often files that may change are looked at
)

// Read returns the content of a regular file of at most 64 KiB that not everybody may read.
func Read(file string) ([]byte, error) {
	content, _, err := read(file)
	return content, err
}

func read(file string) ([]byte, fs.FileInfo, error) {
	f, info, err := open(file)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	content, err := bounded.Read(f, file, maxBytes)
	return content, info, err
}

// open looks at what it has opened, so that nobody can put another file in between. A pipe would hold it for ever, so that is looked at before.
func open(file string) (*os.File, fs.FileInfo, error) {
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
	if info, err = f.Stat(); err == nil {
		err = private(file, info)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

func private(file string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o007 != 0 {
		return fmt.Errorf("%s may be read by everybody (mode %s): run chmod 600 on it", file, mode)
	}
	return nil
}
