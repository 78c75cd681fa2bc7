package embedded

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

// sweepTasks bounds how many tasks one commit removes, so that no task waits long behind it.
const sweepTasks = 200

func endedKey(t *orchestrator.Task) []byte { return boltdb.Key(moment(t.UpdateTime), t.Tenant, t.ID) }

// noteEnd keeps the list of settled tasks by the time of their last change.
func noteEnd(tx *bbolt.Tx, old, r *record) error {
	if old != nil && old.Settled() {
		if err := tx.Bucket(endedBucket).Delete(endedKey(&old.Task)); err != nil {
			return err
		}
	}
	if !r.Settled() {
		return nil
	}
	return bucket(tx, endedBucket).Put(endedKey(&r.Task), nil)
}

// Sweep removes the tasks that were settled and last changed before a time, with all that belongs to them, and returns how many.
func (s *Store) Sweep(ctx context.Context, before time.Time) (removed int, err error) {
	for {
		over, err := s.over(before)
		if err != nil || len(over) == 0 {
			return removed, err
		}
		err = s.db.Update(ctx, func(tx *bbolt.Tx) error {
			for _, key := range over {
				if err := s.remove(tx, key); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return removed, fmt.Errorf("remove tasks that are over: %w", err)
		}
		removed += len(over)
	}
}

// over returns keys of the list of settled tasks, the oldest first.
func (s *Store) over(before time.Time) (keys [][]byte, err error) {
	limit := boltdb.Key(moment(before))
	err = s.db.View(func(tx *bbolt.Tx) error {
		return scan(tx.Bucket(endedBucket), nil, nil, func(key []byte) (bool, error) {
			if len(keys) == sweepTasks || bytes.Compare(key, limit) >= 0 {
				return false, nil
			}
			keys = append(keys, bytes.Clone(key))
			return true, nil
		})
	})
	return keys, err
}

// remove removes the task of an entry in the list, unless it has changed since.
func (s *Store) remove(tx *bbolt.Tx, ended []byte) error {
	list := tx.Bucket(endedBucket)
	if list.Get(ended) == nil {
		return nil
	}
	parts := boltdb.Split(ended)
	k := orchestrator.Key{Tenant: parts[1], ID: parts[2]}
	r, err := readState(tx, k)
	if err != nil {
		return err
	}
	if err := removeLog(tx, r); err != nil {
		return err
	}
	if err := tx.Bucket(recentBucket).Delete(recentKey(&r.Task)); err != nil {
		return err
	}
	for _, name := range [][]byte{statusBucket, taskBucket} {
		if err := tx.Bucket(name).Delete(taskKey(k)); err != nil {
			return err
		}
	}
	s.cache.forget(tx, k)
	return list.Delete(ended)
}

// removeLog removes a task's content and events.
func removeLog(tx *bbolt.Tx, r *record) error {
	all := slices.Concat(r.places.messages, r.places.artifacts)
	for at := r.places.events; at > 0; {
		b, err := readBatch(tx, at)
		if err != nil {
			return err
		}
		all, at = append(all, at), b.previous
	}
	for _, n := range all {
		if err := tx.Bucket(logBucket).Delete(logKey(n)); err != nil {
			return err
		}
	}
	return nil
}
