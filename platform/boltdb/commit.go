package boltdb

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
)

// request is one Update that the committer has to do.
type request struct {
	fn      func(tx *bbolt.Tx) error
	claimed atomic.Bool
	result  error      // of fn when it ran last; only the committer touches it
	answer  chan error // holds one
}

// claim decides who answers the request: the committer, or the caller that gives up. It returns true for the first one only.
func (r *request) claim() bool { return r.claimed.CompareAndSwap(false, true) }

// commitLoop commits until Close; then it commits what is still queued.
func (db *DB) commitLoop() {
	defer close(db.done)
	var p pace
	for {
		select {
		case r := <-db.queue:
			db.await(&p)
			group, begin := db.gather(r), time.Now()
			db.commitGroup(group)
			p.observe(len(group), time.Since(begin))
		case <-db.retry:
			_ = db.settle() // kept as the failure
		case <-db.stop:
			for group := db.gather(); len(group) > 0; group = db.gather() {
				db.commitGroup(group)
			}
			return
		}
	}
}

// await lets writers join the group of the first one that are about to call, and those that are likely to.
func (db *DB) await(p *pace) {
	begin, before := time.Now(), -1
	for {
		runtime.Gosched()
		n := 1 + len(db.queue)
		if n >= p.enough() || time.Since(begin) >= p.patience() {
			return
		}
		if n == before {
			time.Sleep(p.glance()) //nolint:forbidigo // a signal for each writer would cost more
		}
		before = n
	}
}

// gather returns first and the queued requests, without those whose callers have given up.
func (db *DB) gather(first ...*request) []*request {
	var group []*request
	for _, r := range first {
		if r.claim() {
			group = append(group, r)
		}
	}
	for len(group) < groupSize {
		select {
		case r := <-db.queue:
			if r.claim() {
				group = append(group, r)
			}
		default:
			return group
		}
	}
	return group
}

// commitGroup commits the requests of group together and answers each.
func (db *DB) commitGroup(group []*request) {
	if refusal := db.refusal(); refusal != nil {
		answerAll(group, refusal)
		return
	}
	defer db.beginCommit()()
	rest := group
	for len(rest) > 0 {
		bad, id := -1, 0
		err := db.update(func(tx *bbolt.Tx) error {
			id = tx.ID()
			bad = runAll(rest, tx)
			if bad >= 0 || allRefused(rest) {
				return errRollback
			}
			return nil
		})
		if bad >= 0 { // bbolt has no savepoints: run the others again
			rest = slices.Delete(slices.Clone(rest), bad, bad+1)
			continue
		}
		if err != nil && !errors.Is(err, errRollback) {
			answerAll(group, db.failed(err))
			return
		}
		if err == nil {
			db.succeeded(id)
		}
		break
	}
	// Errors of closures are also returned only after the commit, because they may depend on what others of the group wrote.
	for _, r := range group {
		r.answer <- r.result
	}
}

// beginCommit notes that a commit begins, and returns the function to call at its end. The committer does not wait for readers: thousands may be about to read.
func (db *DB) beginCommit() (end func()) {
	over := make(chan struct{})
	db.committing.Store(&over)
	return func() { close(over) }
}

// errRollback ends a transaction of which nothing is to stay.
var errRollback = errors.New("roll back")

// runAll runs requests one after the other, up to the first one that fails and may have written something, and returns its place; -1 for none. It keeps what each
// has returned.
func runAll(list []*request, tx *bbolt.Tx) (bad int) {
	for i, r := range list {
		err := run(r.fn, tx)
		marked, clean := err.(*unwrittenError) //nolint:errorlint // what a closure returns is marked, not what that wraps
		if clean {
			err = marked.error
		}
		if r.result = err; err != nil && !clean {
			return i
		}
	}
	return -1
}

// allRefused reports whether none of the requests that ran has written anything, so that there is nothing to flush.
func allRefused(list []*request) bool {
	return !slices.ContainsFunc(list, func(r *request) bool { return r.result == nil })
}

func answerAll(group []*request, err error) {
	for _, r := range group {
		r.answer <- err
	}
}

func run(fn func(tx *bbolt.Tx) error, tx *bbolt.Tx) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("store update panicked: %v", v)
		}
	}()
	return fn(tx)
}
