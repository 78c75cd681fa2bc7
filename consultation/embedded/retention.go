package embedded

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
)

// sweepEntries bounds how many consultations one commit removes.
const sweepEntries = 500

// timeForm is a format of times that sorts like them.
const timeForm = "2006-01-02T15:04:05.000000000Z"

// nextKey returns the key after the task's last entry; earlier ones may have been removed.
func nextKey(tx *bbolt.Tx, tenant, taskID string) ([]byte, error) {
	number := 0
	if bucket := tx.Bucket(entriesBucket); bucket != nil {
		prefix := boltdb.Prefix(tenant, taskID)
		cursor := bucket.Cursor()
		for key, _ := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
			last, err := strconv.Atoi(string(key[len(prefix):]))
			if err != nil {
				return nil, fmt.Errorf("reading the number of a consultation of task %s: %w", taskID, err)
			}
			number = last + 1
		}
	}
	return boltdb.Key(tenant, taskID, fmt.Sprintf("%04d", number)), nil
}

// noteTime adds an entry to the list by time of issue.
func noteTime(tx *bbolt.Tx, issued time.Time, key, id []byte) error {
	times, err := tx.CreateBucketIfNotExists(timesBucket)
	if err != nil {
		return fmt.Errorf("opening bucket %s: %w", timesBucket, err)
	}
	return times.Put(append(append([]byte(issued.UTC().Format(timeForm)), 0), key...), id)
}

// Sweep removes the consultations that were issued before a time, with their evidence, and returns how many.
func (s *Store) Sweep(ctx context.Context, before time.Time) (removed int, err error) {
	limit := []byte(before.UTC().Format(timeForm))
	for {
		over, err := s.over(limit)
		if err != nil || len(over) == 0 {
			return removed, err
		}
		err = s.db.Update(ctx, func(tx *bbolt.Tx) error { return remove(tx, over) })
		if err != nil {
			return removed, fmt.Errorf("removing consultations that are over: %w", err)
		}
		removed += len(over)
	}
}

// over returns the keys in the list by time that are before limit, the oldest first.
func (s *Store) over(limit []byte) (keys [][]byte, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		times := tx.Bucket(timesBucket)
		if times == nil {
			return nil
		}
		cursor := times.Cursor()
		for key, _ := cursor.First(); key != nil && len(keys) < sweepEntries && bytes.Compare(key, limit) < 0; key, _ = cursor.Next() {
			keys = append(keys, bytes.Clone(key))
		}
		return nil
	})
	return keys, err
}

// remove removes the entries of keys in the list by time.
func remove(tx *bbolt.Tx, over [][]byte) error {
	times, ids, entries := tx.Bucket(timesBucket), tx.Bucket(idsBucket), tx.Bucket(entriesBucket)
	for _, key := range over {
		id := times.Get(key)
		if id == nil {
			continue // by an earlier run of this same change
		}
		if err := ids.Delete(id); err != nil {
			return err
		}
		if err := entries.Delete(key[len(timeForm)+1:]); err != nil {
			return err
		}
		if err := times.Delete(key); err != nil {
			return err
		}
	}
	return nil
}
