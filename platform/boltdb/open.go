package boltdb

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"go.etcd.io/bbolt"
)

// complete refuses a truncated file, such as a copy that was interrupted, and a damaged one, such as a copy that was made while the file was written. bbolt maps the
// file into memory, so reading behind its end would kill the process, and so do pages that make no sense, when the file is opened or days later. Opened read-only,
// bbolt reads nothing by itself but the pages that contain the length of the file.
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
		return sound(tx)
	})
	return errors.Join(err, bolt.Close())
}

var errOrder = errors.New("its keys are not in order")

// sound reads every key and returns an error if the pages make no sense. bbolt reads them all again to find the free ones, in a goroutine of its own that nobody can
// recover from a panic.
func sound(tx *bbolt.Tx) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a place in a damaged page may be behind the end of the file
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			err = fmt.Errorf("the file is damaged: %w; replace it with a complete copy, such as a backup", err)
		}
	}()
	return inOrder(tx.Cursor(), tx.Bucket)
}

// inOrder walks through a bucket and the buckets in it.
func inOrder(c *bbolt.Cursor, bucket func(name []byte) *bbolt.Bucket) error {
	var last []byte
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if last != nil && bytes.Compare(last, k) >= 0 {
			return errOrder
		}
		last = k
		if v != nil {
			continue
		}
		b := bucket(k)
		if err := inOrder(b.Cursor(), b.Bucket); err != nil {
			return err
		}
	}
	return nil
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
