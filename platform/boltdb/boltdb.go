package boltdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	// pageBytes is the page size of new files. Items of a kilobyte leave a quarter of a page of 4 KiB empty, and each page written costs a system call.
	pageBytes = 8 << 10
)

// Options are the optional settings of a DB.
type Options struct {
	MaxBytes int    // size limit of the file: a write that needs more finds the store full; 0 is no limit
	Own      string // a bucket that every file of this kind has from now on, to be told from others by; empty: none
	Foreign  string // a bucket that only files of another kind have: a file with it is refused unchanged; empty: none
}

// fit returns an error if the file is of another kind, which is found out quickly.
func (o Options) fit(tx *bbolt.Tx) error {
	if o.Foreign == "" {
		return nil
	}
	foreign, err := has(tx, []byte(o.Foreign))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errDamaged, err)
	case foreign:
		return errForeign
	}
	return nil
}

// mark gives the file the bucket by which its kind is known.
func (o Options) mark(tx *bbolt.Tx) error {
	if o.Own == "" {
		return nil
	}
	_, err := tx.CreateBucketIfNotExists([]byte(o.Own))
	return err
}

// DB is an open file. It is safe for concurrent use.
type DB struct {
	bolt  *bbolt.DB
	path  string
	opts  Options
	file  fs.FileInfo // of path when it was opened
	queue chan *request
	stop  chan struct{} // closed by Close
	done  chan struct{} // closed when the committer has ended

	update     func(fn func(tx *bbolt.Tx) error) error // that of bolt, except in tests
	committing atomic.Pointer[chan struct{}]           // of the last commit: closed at its end
	durable    atomic.Int64                            // id of the newest transaction that is known to be on disk; bbolt shows one while it is flushed
	failure    atomic.Pointer[failure]                 // nil unless the last commit failed
	retry      <-chan time.Time                        // of the committer: when to settle; nil if nothing is unsettled
}

// Open opens or creates the file at path and its folder, readable by this user only. If another process keeps the file open
// for longer than a second, it returns a FailedPrecondition fault with the reason STORE_LOCKED, and if the file is damaged, STORE_DAMAGED.
func Open(path string, opts Options) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("creating the data directory: %w", err)
	}
	fit := func(tx *bbolt.Tx) error {
		if err := sound(tx); err != nil {
			return err
		}
		return opts.fit(tx)
	}
	if err := complete(path, fit); err != nil {
		return nil, explained(path, err)
	}
	bolt, err := mapped(path, opts)
	if err != nil {
		return nil, explained(path, err)
	}
	file, err := os.Stat(path)
	if err != nil {
		return nil, explained(path, errors.Join(err, bolt.Close()))
	}
	db := &DB{bolt: bolt, path: path, opts: opts, file: file, update: bolt.Update, queue: make(chan *request, queueSize), stop: make(chan struct{}), done: make(chan struct{})}
	if err := db.settle(); err != nil { // what a process before this one could not flush may be in the system's memory only
		return nil, errors.Join(explained(path, err), bolt.Close())
	}
	go db.commitLoop()
	return db, nil
}

// Update runs fn in a read-write transaction and returns after it is durable on disk.
//
// If fn returns an error, its writes (and no others) are rolled back and the error is returned unchanged. A panic of fn
// becomes an error. fn must be safe to run more than once. When ctx ends, a call that still waits in the queue is withdrawn;
// one that has begun is not interrupted. If there is no space for it, it returns an Unavailable fault with the reason STORE_FULL, and if
// the disk fails in another way, STORE_READ_ONLY, as do all others of the next seconds; then writing is tried again. When a flush has failed, what was
// to be flushed may count later. While the file is not at its path any more, the reason is STORE_REMOVED: nobody would find there what is written.
func (db *DB) Update(ctx context.Context, fn func(tx *bbolt.Tx) error) error {
	r := &request{fn: fn, answer: make(chan error, 1)}
	select {
	case <-db.stop: // checked first, because the select below chooses at random
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

// View runs fn in a read-only transaction that sees one committed state, which is on disk. Data that tx returns is valid only inside fn: copy
// it. fn must not call Update, and must be quick, because an open transaction keeps old pages from being reused. While it is unknown whether the
// newest state is on disk, because a flush failed, View returns an Unavailable fault with the reason STORE_READ_ONLY.
func (db *DB) View(fn func(tx *bbolt.Tx) error) error {
	err := db.bolt.View(func(tx *bbolt.Tx) error {
		if err := db.onDisk(tx.ID()); err != nil {
			return err
		}
		return fn(tx)
	})
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return closed()
	}
	return err
}

// Ready returns nil if the store accepts updates, and otherwise why it does not: the disk is full or fails, the file is gone, or the store is closed.
func (db *DB) Ready() error {
	if gone := db.gone(); gone != nil {
		return gone
	}
	if f := db.failure.Load(); f != nil && time.Since(f.at) < failureKnown {
		return f.err
	}
	return db.View(func(*bbolt.Tx) error { return nil })
}

// Close commits the updates in the queue, waits for open views and closes the file. It must be called once.
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
