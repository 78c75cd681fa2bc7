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

// complete refuses a truncated file, such as a copy that was interrupted. bbolt maps the file into memory, so reading behind its end would kill the process, when
// the file is opened or days later. Opened read-only, bbolt reads nothing but the pages that contain the length of the file.
func complete(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil // it will be created
	}
	if err != nil {
		return err
	}
	bolt, err := bbolt.Open(path, 0, &bbolt.Options{Timeout: lockTimeout, ReadOnly: true})
	if err != nil {
		return err
	}
	err = bolt.View(func(tx *bbolt.Tx) error {
		info, err := os.Stat(path) // only now, when no other process has it open: it may have grown until then
		if err != nil {
			return err
		}
		if info.Size() < tx.Size() {
			return fmt.Errorf("the file is cut short: it has %d bytes of %d; replace it with a complete copy", info.Size(), tx.Size())
		}
		return nil
	})
	return errors.Join(err, bolt.Close())
}

// addresses returns how many bytes of address space (not of memory) a file gets at first. A file that outgrows them is mapped again, which waits for all readers,
// such as a copy that takes minutes, and makes everybody else wait.
func addresses() int {
	const few, many = 28, 34                               // 256 MiB, 16 GiB
	if strconv.IntSize < 64 || runtime.GOOS == "windows" { // Windows would extend the file to this length
		return 1 << few
	}
	bits := many
	return 1 << bits
}
