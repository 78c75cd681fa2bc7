package boltdb

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/quorate/quorate/platform/fault"
)

const (
	fullPause = 5 * time.Second  // before a full disk is written to again: after each failure bbolt reads the whole file to find the free pages
	fullKnown = 30 * time.Second // how long Ready tells of a full disk to which nobody has written since
)

// fullDisk is what the last write has found.
type fullDisk struct {
	err *fault.Error
	at  time.Time
}

// refusal returns why nothing is written at the moment, nil if something can be.
func (db *DB) refusal() *fault.Error {
	if broken := db.broken.Load(); broken != nil {
		return broken
	}
	if full := db.full.Load(); full != nil && time.Since(full.at) < fullPause {
		return full.err
	}
	return nil
}

// failed notes why the transaction with that id could not be committed, and returns the answer to those whose updates it had.
func (db *DB) failed(err error, id int) *fault.Error {
	if errors.Is(err, bolterrors.ErrMaxSizeReached) { // found before anything is written; a smaller update may still fit
		return unwritten("STORE_FULL", "the store has reached its largest size", err)
	}
	if noRoom(err) && db.newest() < id {
		full := unwritten("STORE_FULL", "the disk of the store is full; free space there, and quorate writes again by itself", err)
		db.full.Store(&fullDisk{err: full, at: time.Now()})
		return full
	}
	broken := unwritten("STORE_READ_ONLY", "the store cannot write to its disk and is read-only until quorate is restarted", err)
	db.broken.Store(broken)
	return broken
}

func unwritten(reason, message string, err error) *fault.Error {
	return &fault.Error{Kind: fault.Unavailable, Reason: reason, Ours: true, Message: message, Cause: fmt.Errorf("committing: %w", err)}
}

// noRoom reports whether the system has refused a write because there is no space for it. A flush that says so is something else: it may have lost what was written.
func noRoom(err error) bool {
	path, ok := errors.AsType[*fs.PathError](err)
	return ok && path.Op == "write" && (errors.Is(path, syscall.ENOSPC) || errors.Is(path, syscall.EDQUOT) || errors.Is(path, syscall.EFBIG))
}

// newest returns the id of the newest transaction in the file. That of a failed one is newer, unless it has got as far as the page that makes it count.
func (db *DB) newest() (id int) {
	_ = db.bolt.View(func(tx *bbolt.Tx) error {
		id = tx.ID()
		return nil
	})
	return id
}
