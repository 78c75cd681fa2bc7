package boltdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"

	"go.etcd.io/bbolt"
)

// complete refuses a file that has been cut short, as a copy is that ended early. bbolt maps the file and would meet its end as a fault of memory, which
// ends the process: as it opens the file, or days later. Read-only, it looks at nothing but the pages that say how long the file is.
func complete(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil // it will be made
	}
	if err != nil {
		return err
	}
	bolt, err := bbolt.Open(path, 0, &bbolt.Options{Timeout: lockTimeout, ReadOnly: true})
	if err != nil {
		return err
	}
	err = bolt.View(func(tx *bbolt.Tx) error {
		info, err := os.Stat(path) // now that nobody else writes to it: it may have grown until it was closed
		if err != nil {
			return err
		}
		if info.Size() < tx.Size() {
			return fmt.Errorf("the file is cut short: it has %d bytes of %d; put a whole copy in its place", info.Size(), tx.Size())
		}
		return nil
	})
	return errors.Join(err, bolt.Close())
}

// addresses is how many bytes of address space, not of memory, a file gets at first. A file that outgrows them is mapped anew, which waits for all readers, of
// whom a copy may take minutes, and has everybody else wait for it.
func addresses() int {
	const few, many = 28, 34                               // 256 MiB, 16 GiB
	if strconv.IntSize < 64 || runtime.GOOS == "windows" { // where the file would be made as long
		return 1 << few
	}
	bits := many
	return 1 << bits
}
