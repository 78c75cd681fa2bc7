package embedded

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

// sweepTasks bounds how many tasks one commit removes, so that no task waits long for it, and how many are examined in one view of the file.
const sweepTasks = 200

// Sweep removes the tasks that are settled and whose retention began before a time, with all that belongs to them, and returns how many. It examines
// all tasks that were created before that time, few of which remain. Unreadable tasks stay; the error is that of the last of them.
func (s *Store) Sweep(ctx context.Context, before time.Time) (removed int, err error) {
	var after []byte
	var broken error
	for {
		over, next, unread, err := s.expired(before, after)
		if err != nil {
			return removed, fmt.Errorf("look for tasks that are over: %w", err)
		}
		n, unknown, err := s.removeAll(ctx, over, before)
		if removed += n; err != nil {
			return removed, fmt.Errorf("remove tasks that are over: %w", err)
		}
		broken = cmp.Or(unknown, unread, broken)
		if next == nil {
			return removed, broken
		}
		after = next
	}
}

func isExpired(t *orchestrator.Task, before time.Time) bool {
	return t.Settled() && t.RetainedSince().Before(before)
}

// expired returns expired tasks among some that were created before a time, beginning behind a key of the list of tasks; the key from which to continue,
// if any; and the error of an unreadable task.
func (s *Store) expired(before time.Time, after []byte) (over []orchestrator.Key, next []byte, unread, err error) {
	limit, seen := sortableTime(before), 0
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(recentBucket).Cursor()
		key, _ := c.Seek(append(bytes.Clone(after), 0))
		for key != nil {
			parts := boltdb.Split(key)
			if parts[1] >= limit { // continue with the next tenant
				key, _ = c.Seek(keyAfter(boltdb.Prefix(parts[0])))
				continue
			}
			if seen++; seen > sweepTasks {
				return nil
			}
			next = bytes.Clone(key)
			r, _, err := readState(tx, orchestrator.Key{Tenant: parts[0], ID: parts[2]})
			if err != nil {
				unread = err
			} else if isExpired(&r.Task, before) {
				over = append(over, r.Key())
			}
			key, _ = c.Next()
		}
		next = nil
		return nil
	})
	return over, next, unread, err
}

// removeAll removes tasks in one commit, except those that have changed meanwhile. It returns how many, and the error of an unreadable one.
func (s *Store) removeAll(ctx context.Context, keys []orchestrator.Key, before time.Time) (removed int, unread, err error) {
	if len(keys) == 0 {
		return 0, nil, nil
	}
	err = s.update(ctx, func(tx *bbolt.Tx) error {
		removed, unread = 0, nil
		for _, k := range keys {
			r, _, err := readState(tx, k)
			if fault.KindOf(err) == fault.NotFound || err == nil && !isExpired(&r.Task, before) {
				continue
			}
			var log []uint64
			if err == nil {
				log, err = entries(tx, r)
			}
			if err != nil {
				unread = fmt.Errorf("read task %s: %w", k.ID, err)
				continue
			}
			if err := s.remove(tx, r, log); err != nil {
				return err
			}
			removed++
		}
		return nil
	})
	return removed, unread, err
}

// remove removes a task and its log entries.
func (s *Store) remove(tx *bbolt.Tx, r *record, log []uint64) error {
	for _, n := range log {
		if err := tx.Bucket(logBucket).Delete(logKey(n)); err != nil {
			return err
		}
	}
	if err := tx.Bucket(recentBucket).Delete(recentKey(&r.Task)); err != nil {
		return err
	}
	for _, name := range [][]byte{statusBucket, aboutBucket, taskBucket} {
		if err := tx.Bucket(name).Delete(taskKey(r.Key())); err != nil {
			return err
		}
	}
	s.cache.dropOnCommit(tx, r.Key())
	return nil
}

// entries returns the log entries with a task's content and events.
func entries(tx *bbolt.Tx, r *record) ([]uint64, error) {
	all := slices.Concat(r.places.messages, r.places.artifacts)
	for at := r.places.events; at > 0; {
		b, err := readBatch(tx, at)
		if err != nil {
			return nil, err
		}
		all, at = append(all, at), b.previous
	}
	return all, nil
}
