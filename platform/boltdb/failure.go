package boltdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/quorate/quorate/platform/fault"
)

const (
	failurePause = 5 * time.Second  // before a disk that has failed is written to again: after each failure bbolt reads the whole file to find the free pages
	failureKnown = 30 * time.Second // how long Ready tells of a failure since which nobody has written
)

// failure is what the last commit has met.
type failure struct {
	err       *fault.Error
	at        time.Time
	unsettled bool // bbolt shows what was committed, but it may not be on disk
}

// refusal returns why nothing is written at the moment, nil if something can be.
func (db *DB) refusal() *fault.Error {
	if gone := db.gone(); gone != nil {
		return gone
	}
	if f := db.failure.Load(); f != nil && (f.unsettled || time.Since(f.at) < failurePause) {
		return f.err
	}
	return nil
}

// gone returns an error if the file is not at its path any more, or another one is there. What is written then goes to a file that ends with this process, or that
// nobody looks for.
func (db *DB) gone() *fault.Error {
	now, err := os.Stat(db.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, db.file) {
		return &fault.Error{
			Kind: fault.Unavailable, Reason: "STORE_REMOVED", Ours: true, Cause: err,
			Message: "the file of the store was removed or replaced; put it back, or stop quorate and restore a backup",
		}
	}
	return nil
}

// succeeded notes that the transaction with that id is on disk.
func (db *DB) succeeded(id int) {
	db.durable.Store(int64(id))
	db.failure.Store(nil)
}

// failed notes why a transaction could not be committed, and returns the answer to those whose updates it had.
func (db *DB) failed(err error) *fault.Error {
	f := &failure{at: time.Now()}
	switch {
	case errors.Is(err, bolterrors.ErrMaxSizeReached): // found before anything is written; a smaller update may still fit
		return unwritten("STORE_FULL", "the store has reached its largest size", err)
	case db.newest() > db.durable.Load():
		f.unsettled = true
		f.err = unwritten("STORE_READ_ONLY", "a flush has failed, and what was written last may not be on the store's disk; quorate tries again by itself", err)
		db.retry = time.After(failurePause)
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG):
		f.err = unwritten("STORE_FULL", "the disk of the store is full; free space there, and quorate writes again by itself", err)
	default:
		f.err = unwritten("STORE_READ_ONLY", "the store cannot write to its disk; quorate tries again by itself", err)
	}
	db.failure.Store(f)
	return f.err
}

func unwritten(reason, message string, err error) *fault.Error {
	return &fault.Error{Kind: fault.Unavailable, Reason: reason, Ours: true, Message: message, Cause: fmt.Errorf("committing: %w", err)}
}

// newest returns the id of the newest transaction that bbolt shows. That of a failed one is newer, unless it has got as far as the page that makes it count.
func (db *DB) newest() (id int64) {
	_ = db.bolt.View(func(tx *bbolt.Tx) error {
		id = int64(tx.ID())
		return nil
	})
	return id
}

// settle has the state that bbolt shows written to disk: it commits a transaction, without changes but for the mark of a new file, which writes the page that
// makes that state count. All other pages were flushed before. After a failed flush the system may have forgotten that they are not on disk.
func (db *DB) settle() error {
	db.retry = nil
	if db.bolt.Stats().OpenTxN > 0 { // bbolt has lost track of the pages that readers of an earlier state need
		db.retry = time.After(failurePause)
		return nil
	}
	defer db.beginCommit()()
	var id int
	err := db.update(func(tx *bbolt.Tx) error {
		id = tx.ID()
		return db.opts.mark(tx)
	})
	if err != nil {
		return db.failed(err)
	}
	db.succeeded(id)
	return nil
}

// onDisk returns nil once the transaction with that id is on disk, and an error if that is not known to be so.
func (db *DB) onDisk(id int) error {
	if int64(id) <= db.durable.Load() {
		return nil
	}
	<-*db.committing.Load() // the end of the flush
	f := db.failure.Load()  // before a later success, which is noted first, takes it away
	if int64(id) <= db.durable.Load() {
		return nil
	}
	return f.err
}
