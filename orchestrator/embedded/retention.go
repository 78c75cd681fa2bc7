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
	"github.com/quorate/quorate/platform/fault"
)

// sweepTasks bounds how many tasks one commit removes, so that no task waits long behind it, and how many are looked at in one view of the file.
const sweepTasks = 200

// Sweep removes the tasks that are settled and kept from before a time, with all that belongs to them, and returns how many. It looks at all tasks that
// were created before that time: the others cannot be over, and of these few are left.
func (s *Store) Sweep(ctx context.Context, before time.Time) (removed int, err error) {
	var after []byte
	for {
		over, next, err := s.over(before, after)
		if err != nil {
			return removed, fmt.Errorf("look for tasks that are over: %w", err)
		}
		n, err := s.removeAll(ctx, over, before)
		if removed += n; err != nil {
			return removed, fmt.Errorf("remove tasks that are over: %w", err)
		}
		if next == nil {
			return removed, nil
		}
		after = next
	}
}

func isOver(t *orchestrator.Task, before time.Time) bool {
	return t.Settled() && t.KeptFrom().Before(before)
}

// over returns tasks of some that were created before a time and behind a key of the list of tasks, and where to go on, if anywhere.
func (s *Store) over(before time.Time, after []byte) (over []orchestrator.Key, next []byte, err error) {
	limit, seen := moment(before), 0
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(recentBucket).Cursor()
		key, _ := c.Seek(append(bytes.Clone(after), 0))
		for key != nil {
			parts := boltdb.Split(key)
			if parts[1] >= limit { // on with the next tenant
				key, _ = c.Seek(behind(boltdb.Prefix(parts[0])))
				continue
			}
			if seen++; seen > sweepTasks {
				return nil
			}
			next = bytes.Clone(key)
			r, err := readState(tx, orchestrator.Key{Tenant: parts[0], ID: parts[2]})
			if err != nil {
				return err
			}
			if isOver(&r.Task, before) {
				over = append(over, keyOf(r))
			}
			key, _ = c.Next()
		}
		next = nil
		return nil
	})
	return over, next, err
}

// removeAll removes tasks in one commit, but for those that have changed since, and returns how many.
func (s *Store) removeAll(ctx context.Context, keys []orchestrator.Key, before time.Time) (removed int, err error) {
	if len(keys) == 0 {
		return 0, nil
	}
	err = s.db.Update(ctx, func(tx *bbolt.Tx) error {
		removed = 0
		for _, k := range keys {
			r, err := readState(tx, k)
			if fault.KindOf(err) == fault.NotFound || err == nil && !isOver(&r.Task, before) {
				continue
			}
			if err == nil {
				err = s.remove(tx, r)
			}
			if err != nil {
				return err
			}
			removed++
		}
		return nil
	})
	return removed, err
}

// remove removes a task.
func (s *Store) remove(tx *bbolt.Tx, r *record) error {
	if err := removeLog(tx, r); err != nil {
		return err
	}
	if err := tx.Bucket(recentBucket).Delete(recentKey(&r.Task)); err != nil {
		return err
	}
	for _, name := range [][]byte{statusBucket, taskBucket} {
		if err := tx.Bucket(name).Delete(taskKey(keyOf(r))); err != nil {
			return err
		}
	}
	s.cache.forget(tx, keyOf(r))
	return nil
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
