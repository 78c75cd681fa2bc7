package boltdb

import (
	"fmt"
	"runtime"
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
	refused := make(map[*request]error)
	rest := group
	for len(rest) > 0 {
		bad, id := -1, 0
		var badErr error
		err := db.update(func(tx *bbolt.Tx) error {
			id = tx.ID()
			for i, r := range rest {
				if err := run(r.fn, tx); err != nil {
					bad, badErr = i, err
					return err
				}
			}
			return nil
		})
		if bad >= 0 { // bbolt has no savepoints: run the others again
			refused[rest[bad]] = badErr
			rest = append(append([]*request(nil), rest[:bad]...), rest[bad+1:]...)
			continue
		}
		if err != nil {
			answerAll(group, db.failed(err))
			return
		}
		db.succeeded(id)
		break
	}
	// Errors of closures are also returned only after the commit, because they may depend on what others of the group wrote.
	for _, r := range group {
		r.answer <- refused[r]
	}
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
