package boltdb

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"go.etcd.io/bbolt"
)

const groupSize = 256

// request is one Update that the committer has to do.
type request struct {
	fn      func(tx *bbolt.Tx) error
	claimed atomic.Bool
	answer  chan error // holds one
}

// claim decides who answers the request: the committer, or the caller that gives up. It returns true for the first one only.
func (r *request) claim() bool { return r.claimed.CompareAndSwap(false, true) }

// commitLoop commits until Close; then it commits what is still queued.
func (db *DB) commitLoop() {
	defer close(db.done)
	for {
		select {
		case r := <-db.queue:
			runtime.Gosched() // let writers that are about to call join the group
			db.commitGroup(db.gather(r))
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
	db.committing.Lock()
	defer db.committing.Unlock()
	answers := make(map[*request]error)
	rest := group
	for len(rest) > 0 {
		bad, id := -1, 0
		err := db.update(func(tx *bbolt.Tx) error {
			id = tx.ID()
			bad = runAll(rest, tx, answers)
			if bad >= 0 || allRefused(rest, answers) {
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
		r.answer <- answers[r]
	}
}

// errRollback ends a transaction of which nothing is to stay.
var errRollback = errors.New("roll back")

// runAll runs requests one after the other, up to the first one that fails and may have written something, and returns its place; -1 for none. It keeps what each
// has returned.
func runAll(list []*request, tx *bbolt.Tx, answers map[*request]error) (bad int) {
	for i, r := range list {
		err := run(r.fn, tx)
		marked, clean := err.(*unwrittenError) //nolint:errorlint // what a closure returns is marked, not what that wraps
		if clean {
			err = marked.error
		}
		if answers[r] = err; err != nil && !clean {
			return i
		}
	}
	return -1
}

// allRefused reports whether none of the requests that ran has written anything, so that there is nothing to flush.
func allRefused(list []*request, answers map[*request]error) bool {
	return !slices.ContainsFunc(list, func(r *request) bool { return answers[r] == nil })
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
