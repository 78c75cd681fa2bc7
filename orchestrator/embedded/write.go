package embedded

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

// Create implements orchestrator.Store.
func (s *Store) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (orchestrator.Task, bool, error) {
	var stored *record
	var created bool
	d, err := newDraft(nil, &record{Task: t}, events)
	recent := recentKey(&t)
	if err == nil {
		err = s.update(ctx, func(tx *bbolt.Tx) (err error) {
			if created = tx.Bucket(taskBucket).Get(d.key) == nil; !created {
				stored, err = s.read(tx, d.record.Key())
				return err
			}
			if err := bucket(tx, recentBucket).Put(recent, nil); err != nil {
				return err
			}
			stored, err = s.write(tx, d)
			return err
		})
	}
	if err != nil {
		return orchestrator.Task{}, false, fmt.Errorf("create task %s: %w", t.ID, err)
	}
	return stored.Task, created, nil
}

// Update implements orchestrator.Store.
func (s *Store) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	ahead := s.draftAhead(k, change)
	var result *record
	err := s.update(ctx, func(tx *bbolt.Tx) error {
		version, _, err := state(tx, k)
		if err != nil {
			return boltdb.Unwritten(err)
		}
		if ahead != nil && ahead.old.Version == version {
			result, err = s.write(tx, ahead)
			return err
		}
		old, err := s.read(tx, k)
		if err != nil {
			return boltdb.Unwritten(err)
		}
		d, err := old.change(change)
		if errors.Is(err, orchestrator.ErrUnchanged) {
			result = old
			return nil
		}
		if err != nil {
			return boltdb.Unwritten(err)
		}
		result, err = s.write(tx, d)
		return err
	})
	if err != nil {
		return orchestrator.Task{}, err
	}
	return result.Task, nil
}

// update runs fn in a transaction that writes tasks. One that could not be committed may count later, once the disk works: what is cached may then be older.
func (s *Store) update(ctx context.Context, fn func(tx *bbolt.Tx) error) error {
	err := s.db.Update(ctx, fn)
	if fault.KindOf(err) == fault.Unavailable {
		s.cache.clear()
	}
	return err
}

// draftAhead makes a change before the transaction, to the state that the task is likely to have then. It returns nil if the change has to be made in the
// transaction, because the task is not cached, or because the cached state does not allow the change, which says nothing about the current one.
func (s *Store) draftAhead(k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) *draft {
	old := s.cache.get(k)
	if old == nil {
		return nil
	}
	d, err := old.change(change)
	if err != nil {
		return nil
	}
	return d
}

// change applies a change to a copy of the task.
func (r *record) change(change func(*orchestrator.Task) ([]orchestrator.Event, error)) (*draft, error) {
	next := &record{Task: r.Task}
	events, err := change(&next.Task)
	if err != nil {
		return nil, err
	}
	return newDraft(r, next, events)
}

// write stores a draft, which must be based on what tx sees, and returns the result. It may be called again if the transaction is repeated.
func (s *Store) write(tx *bbolt.Tx, d *draft) (r *record, err error) {
	r = d.record
	if r.places, err = d.place(tx); err != nil {
		return nil, err
	}
	if err := writeState(tx, d.key, r, d.state); err != nil {
		return nil, err
	}
	for _, x := range d.changed {
		if err := x.write(tx, d.key); err != nil {
			return nil, err
		}
	}
	s.cache.putOnCommit(tx, r)
	return r, updateOpenIndex(tx, d.old, r)
}

func (x *single) write(tx *bbolt.Tx, key []byte) error {
	if x.encoded == nil {
		return tx.Bucket(x.bucket).Delete(key)
	}
	return tx.Bucket(x.bucket).Put(key, x.encoded)
}

// updateOpenIndex updates the list of tasks that are not settled.
func updateOpenIndex(tx *bbolt.Tx, old, r *record) error {
	switch {
	case r.Settled():
		return tx.Bucket(openBucket).Delete(openKey(r.Shard, r.Key()))
	case old == nil || old.Settled():
		return tx.Bucket(openBucket).Put(openKey(r.Shard, r.Key()), nil)
	default:
		return nil
	}
}
