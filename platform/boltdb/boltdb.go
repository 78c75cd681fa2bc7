package boltdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/quorate/quorate/platform/fault"
)

const (
	lockTimeout = time.Second
	queueSize   = 1024
	// pageBytes is the page of new files: items of a kilobyte leave a quarter of a page of 4 KiB empty, and each page that is written is a call.
	pageBytes = 8 << 10
)

// Options are the optional settings of a DB.
type Options struct {
	MaxBytes int // of the file; a write that needs more gets ResourceExhausted. Zero is no limit.
}

// DB is one open file; it is safe for concurrent use.
type DB struct {
	bolt  *bbolt.DB
	queue chan *request
	stop  chan struct{} // closed by Close
	done  chan struct{} // closed when the committer has ended

	broken atomic.Pointer[fault.Error] // what every Update is answered after a failed flush
}

// Open opens or creates the file at path and its folder, readable by this user only. When another process has it open for
// longer than a second it returns a FailedPrecondition fault with the reason STORE_LOCKED.
func Open(path string, opts Options) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("creating the data directory: %w", err)
	}
	var bolt *bbolt.DB
	err := complete(path)
	if err == nil {
		bolt, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:         lockTimeout,
			FreelistType:    bbolt.FreelistMapType,
			NoFreelistSync:  true, // rebuilt on open; each commit writes less
			PageSize:        pageBytes,
			InitialMmapSize: addresses(),
			MaxSize:         opts.MaxBytes,
		})
	}
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fault.New(fault.FailedPrecondition, "STORE_LOCKED",
			"another quorate uses the data directory %s; stop it or choose another directory", filepath.Dir(path)).With("path", path)
	}
	if errors.Is(err, bolterrors.ErrInvalid) || errors.Is(err, bolterrors.ErrVersionMismatch) || errors.Is(err, bolterrors.ErrChecksum) {
		err = fmt.Errorf("the file is no database of this kind, or it is damaged; put a whole copy in its place: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the store %s: %w", path, err)
	}
	db := &DB{bolt: bolt, queue: make(chan *request, queueSize), stop: make(chan struct{}), done: make(chan struct{})}
	go db.commitLoop()
	return db, nil
}

// Update runs fn in a read-write transaction and returns after it is durable on disk.
//
// An error of fn takes back what fn wrote and nothing else, and is returned as it is. A panic of fn becomes an error. fn
// must be safe to run again. The end of ctx takes back a call that still waits in the queue; it does not interrupt one
// that has begun. After a failed flush the store answers every Update with an Unavailable fault until it is opened again,
// because nobody knows what reached the disk.
func (db *DB) Update(ctx context.Context, fn func(tx *bbolt.Tx) error) error {
	r := &request{fn: fn, answer: make(chan error, 1)}
	select {
	case <-db.stop: // the select below chooses at random
		return closed()
	default:
	}
	select {
	case db.queue <- r:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-db.stop:
		return closed()
	}
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
		if r.claim() {
			return context.Cause(ctx)
		}
	case <-db.done:
		if r.claim() {
			return closed()
		}
	}
	return <-r.answer
}

// View runs fn in a read-only transaction that sees one committed state. What tx returns is valid only inside fn; copy it.
// fn must not call Update, and must be quick: an open transaction keeps old pages alive.
func (db *DB) View(fn func(tx *bbolt.Tx) error) error {
	err := db.bolt.View(fn)
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return closed()
	}
	return err
}

// Ready returns what would keep every Update from being done, or nil: that a flush has failed, or that the store is closed.
func (db *DB) Ready() error {
	if broken := db.broken.Load(); broken != nil {
		return broken
	}
	return db.View(func(*bbolt.Tx) error { return nil })
}

// Close finishes the updates that have begun, waits for open views and closes the file. It must be called once.
func (db *DB) Close() error {
	close(db.stop)
	<-db.done
	if err := db.bolt.Close(); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

func closed() error {
	return fault.New(fault.Unavailable, "STORE_CLOSED", "the store is closed")
}
