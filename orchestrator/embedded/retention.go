package embedded

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

// sweepTasks bounds how many tasks one commit removes, so that no task waits long behind it.
const sweepTasks = 200

// timeForm sorts as the times do.
const timeForm = "2006-01-02T15:04:05.000000000Z"

func endedKey(t *orchestrator.Task) []byte {
	return boltdb.Key(t.UpdateTime.UTC().Format(timeForm), t.Tenant, t.ID)
}

// noteEnd keeps the list of settled tasks by the time of their last change.
func noteEnd(tx *bbolt.Tx, old, t *orchestrator.Task) error {
	if old != nil && old.Settled() {
		if err := tx.Bucket(endedBucket).Delete(endedKey(old)); err != nil {
			return err
		}
	}
	if !t.Settled() {
		return nil
	}
	return tx.Bucket(endedBucket).Put(endedKey(t), nil)
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
				if err := remove(tx, key); err != nil {
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
	limit := boltdb.Key(before.UTC().Format(timeForm))
	err = s.db.View(func(tx *bbolt.Tx) error {
		return scan(tx.Bucket(endedBucket), nil, nil, func(key, _ []byte) (bool, error) {
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
func remove(tx *bbolt.Tx, ended []byte) error {
	list := tx.Bucket(endedBucket)
	if tx.Bucket(endedBucket).Get(ended) == nil {
		return nil
	}
	parts := boltdb.Split(ended)
	k := orchestrator.Key{Tenant: parts[1], ID: parts[2]}
	t, err := readState(tx, k)
	if err != nil {
		return err
	}
	for _, bucket := range [][]byte{blobBucket, eventBucket} {
		if err := removeAll(tx.Bucket(bucket), boltdb.Prefix(k.Tenant, k.ID)); err != nil {
			return err
		}
	}
	if err := tx.Bucket(recentBucket).Delete(recentKey(&t)); err != nil {
		return err
	}
	if err := tx.Bucket(taskBucket).Delete(taskKey(k)); err != nil {
		return err
	}
	return list.Delete(ended)
}

// removeAll removes the keys with a prefix.
func removeAll(b *bbolt.Bucket, prefix []byte) error {
	var keys [][]byte
	if err := scan(b, prefix, nil, func(key, _ []byte) (bool, error) {
		keys = append(keys, bytes.Clone(key))
		return true, nil
	}); err != nil {
		return err
	}
	for _, key := range keys {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}
