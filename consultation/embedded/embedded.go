// Package embedded keeps consultations in a bbolt file.
//
// The file should hold nothing else: evidence has its own retention, and must not wait for commits of tasks. One bucket has the entries by tenant,
// task and number, so that a task's list is one range; another finds them by id.
package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/newer"
)

// Bucket is in every file of this store, and in no file of another.
const Bucket = "consultations"

var (
	entriesBucket = []byte(Bucket)
	idsBucket     = []byte("consultation_ids")
	timesBucket   = []byte("consultation_times") // time of issue and key of the entry → key of the id
)

var _ consultation.Store = (*Store)(nil)

// Store is a consultation.Store over one open file.
type Store struct{ db *boltdb.DB }

// New returns a store over db, which the caller opens and closes.
func New(db *boltdb.DB) *Store { return &Store{db: db} }

// Append implements consultation.Store.
func (s *Store) Append(ctx context.Context, tenant, taskID string, next func([]consultation.Entry) (consultation.Consultation, error)) error {
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		list, err := entries(tx, tenant, taskID)
		if err != nil {
			return err
		}
		c, err := next(list)
		if err != nil {
			return boltdb.Unwritten(err)
		}
		ids, err := tx.CreateBucketIfNotExists(idsBucket)
		if err != nil {
			return fmt.Errorf("opening bucket %s: %w", idsBucket, err)
		}
		id := boltdb.Key(tenant, c.ID)
		if ids.Get(id) != nil {
			return fault.New(fault.AlreadyExists, "CONSULTATION_EXISTS", "consultation %q exists", c.ID)
		}
		key, err := nextKey(tx, tenant, taskID)
		if err != nil {
			return err
		}
		if err := ids.Put(id, key); err != nil {
			return fmt.Errorf("writing the id of consultation %s: %w", c.ID, err)
		}
		if err := noteTime(tx, c.IssueTime, key, id); err != nil {
			return err
		}
		value, err := encode(consultation.Entry{Consultation: c})
		if err != nil {
			return err
		}
		return put(tx, key, c.ID, value)
	})
}

// Update implements consultation.Store.
func (s *Store) Update(ctx context.Context, tenant, id string, change func(consultation.Entry) (consultation.Entry, error)) error {
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		key, e, err := get(tx, tenant, id)
		if err != nil {
			return boltdb.Unwritten(err)
		}
		again, err := encode(e)
		if err != nil {
			return err
		}
		if e, err = change(e); err != nil {
			return boltdb.Unwritten(err)
		}
		value, err := encode(e)
		if err != nil {
			return err
		}
		return put(tx, key, id, newer.Record(value, again, tx.Bucket(entriesBucket).Get(key), "consultation"))
	})
}

// Get implements consultation.Store.
func (s *Store) Get(ctx context.Context, tenant, id string) (e consultation.Entry, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		_, e, err = get(tx, tenant, id)
		return err
	})
	return e, err
}

// List implements consultation.Store.
func (s *Store) List(ctx context.Context, tenant, taskID string) (list []consultation.Entry, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		list, err = entries(tx, tenant, taskID)
		return err
	})
	return list, err
}

func (s *Store) view(ctx context.Context, fn func(tx *bbolt.Tx) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return s.db.View(fn)
}

func get(tx *bbolt.Tx, tenant, id string) (key []byte, e consultation.Entry, err error) {
	if ids := tx.Bucket(idsBucket); ids != nil {
		key = bytes.Clone(ids.Get(boltdb.Key(tenant, id)))
	}
	if key == nil {
		return nil, e, consultation.NotFound(id)
	}
	e, err = decode(tx.Bucket(entriesBucket).Get(key))
	return key, e, err
}

func entries(tx *bbolt.Tx, tenant, taskID string) (list []consultation.Entry, err error) {
	bucket := tx.Bucket(entriesBucket)
	if bucket == nil {
		return nil, nil
	}
	prefix := boltdb.Prefix(tenant, taskID)
	cursor := bucket.Cursor()
	for key, value := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
		e, err := decode(value)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

func decode(value []byte) (e consultation.Entry, err error) {
	if err := json.Unmarshal(value, &e); err != nil {
		return e, fmt.Errorf("decoding a stored consultation: %w", err)
	}
	return e, nil
}

func encode(e consultation.Entry) ([]byte, error) {
	value, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encoding consultation %s: %w", e.Consultation.ID, err)
	}
	return value, nil
}

func put(tx *bbolt.Tx, key []byte, id string, value []byte) error {
	if err := boltdb.CheckItem("consultation "+id, len(value)); err != nil {
		return err
	}
	bucket, err := tx.CreateBucketIfNotExists(entriesBucket)
	if err != nil {
		return fmt.Errorf("opening bucket %s: %w", entriesBucket, err)
	}
	if err := bucket.Put(key, value); err != nil {
		return fmt.Errorf("writing consultation %s: %w", id, err)
	}
	return nil
}
