package boltdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/quorate/quorate/platform/fault"
)

// Look returns the error that Open would return for the file at path with the same options, without changing anything, and nil if there is no file. It is
// quick: of the damages that Open finds it finds only those at the beginning of the file and at its end.
func Look(path string, opts Options) error {
	err := complete(path, opts.fit)
	if err == nil {
		err = mayWrite(path)
	}
	return explained(path, err)
}

// mayWrite returns an error if this process may not write to the file at path.
func mayWrite(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it will be created
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// complete refuses a truncated file, such as a copy that was interrupted, and one that sound refuses. bbolt maps the file into memory, so reading behind its end
// would kill the process. Opened read-only, bbolt reads nothing by itself but the pages that contain the length of the file.
func complete(path string, sound func(*bbolt.Tx) error) error {
	size, err := sizeOf(path)
	if err != nil || size == 0 { // empty: it will be created
		return err
	}
	bolt, err := bbolt.Open(path, 0, &bbolt.Options{Timeout: lockTimeout, ReadOnly: true})
	if err != nil {
		return named(err, size)
	}
	err = bolt.View(func(tx *bbolt.Tx) error {
		size, err := sizeOf(path) // only now, when no other process has it open: it may have grown until then
		if err != nil {
			return err
		}
		if size < tx.Size() {
			return fmt.Errorf("%w: it has %d bytes of %d; replace it with a complete copy", errShort, size, tx.Size())
		}
		return sound(tx)
	})
	return errors.Join(err, bolt.Close())
}

// sizeOf returns how many bytes a file has: 0 if there is none.
func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// named returns an error of opening a file of that size, as ErrInvalid if the file is too short for bbolt, whose own error has no name then.
func named(err error, size int64) error {
	_, ofSystem := errors.AsType[*fs.PathError](err)
	if ofSystem || errors.Is(err, bolterrors.ErrTimeout) || size >= 2*pageBytes {
		return err
	}
	return fmt.Errorf("%w: it has %d bytes", bolterrors.ErrInvalid, size)
}

var (
	errShort   = errors.New("the file is cut short")
	errDamaged = errors.New("the file is damaged")
	errForeign = errors.New("the file is another one of the store, under the wrong name: give it back its own, or restore all files of a backup")
)

// explained returns an error of opening the file at path in words for an operator.
func explained(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrTimeout):
		return fault.New(fault.FailedPrecondition, "STORE_LOCKED",
			"another quorate uses the directory %s; stop it or choose another directory", filepath.Dir(path)).With("path", path)
	case errors.Is(err, bolterrors.ErrInvalid) || errors.Is(err, bolterrors.ErrVersionMismatch) || errors.Is(err, bolterrors.ErrChecksum):
		return damaged(path, fmt.Errorf("the file is not a database of this kind, or it is damaged; replace it with a complete copy: %w", err))
	case errors.Is(err, errShort) || errors.Is(err, errDamaged) || errors.Is(err, errForeign):
		return damaged(path, err)
	}
	return fmt.Errorf("opening the store %s: %w", path, err)
}

func damaged(path string, err error) error {
	return fault.New(fault.FailedPrecondition, "STORE_DAMAGED", "opening the store %s: %v", path, err).With("path", path)
}

// mapped opens a file that is in order, and maps it into as many addresses as the process may have.
func mapped(path string, opts Options) (*bbolt.DB, error) {
	o := bbolt.Options{
		Timeout:         lockTimeout,
		FreelistType:    bbolt.FreelistMapType,
		NoFreelistSync:  true, // rebuilt on open; each commit writes less
		PageSize:        pageBytes,
		InitialMmapSize: addresses(),
		MaxSize:         opts.MaxBytes,
	}
	bolt, err := bbolt.Open(path, 0o600, &o)
	if errors.Is(err, syscall.ENOMEM) { // a limit such as ulimit -v
		o.InitialMmapSize = 0
		bolt, err = bbolt.Open(path, 0o600, &o)
	}
	return bolt, err
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
