// Package embedded keeps the allowlist in a platform/boltdb file, in a bucket of its own.
package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/platform/boltdb"
)

var bucket = []byte("allowed_domains")

// Store is an allowlist.Store in one file.
type Store struct{ db *boltdb.DB }

var _ allowlist.Store = (*Store)(nil)

// New returns a Store in db, which the caller closes.
func New(ctx context.Context, db *boltdb.DB) (*Store, error) {
	err := db.Update(ctx, func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucket)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the allowlist's store: %w", err)
	}
	return &Store{db}, nil
}

// Add implements allowlist.Store.
func (s *Store) Add(ctx context.Context, tenant string, e allowlist.Entry) (added bool, err error) {
	value, err := json.Marshal(e)
	if err != nil {
		return false, fmt.Errorf("encode the entry: %w", err)
	}
	key := boltdb.Key(tenant, string(e.Domain))
	err = s.db.Update(ctx, func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucket)
		added = b.Get(key) == nil
		if !added {
			return nil
		}
		return b.Put(key, value)
	})
	return added && err == nil, err
}

// Remove implements allowlist.Store.
func (s *Store) Remove(ctx context.Context, tenant string, domain allowlist.Domain) (removed bool, err error) {
	key := boltdb.Key(tenant, string(domain))
	err = s.db.Update(ctx, func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucket)
		removed = b.Get(key) != nil
		return b.Delete(key)
	})
	return removed && err == nil, err
}

// List implements allowlist.Store.
func (s *Store) List(_ context.Context, tenant string, after allowlist.Domain, limit int) (list []allowlist.Entry, err error) {
	prefix, start := boltdb.Prefix(tenant), boltdb.Key(tenant, string(after))
	err = s.db.View(func(tx *bbolt.Tx) error {
		cursor := tx.Bucket(bucket).Cursor()
		key, value := cursor.Seek(start)
		if after != "" && bytes.Equal(key, start) {
			key, value = cursor.Next()
		}
		for ; bytes.HasPrefix(key, prefix) && len(list) < limit; key, value = cursor.Next() {
			e, err := decode(value)
			if err != nil {
				return err
			}
			list = append(list, e)
		}
		return nil
	})
	return list, err
}

// Find implements allowlist.Store.
func (s *Store) Find(_ context.Context, tenant string, domains []allowlist.Domain) (e allowlist.Entry, found bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		for _, domain := range domains {
			if value := tx.Bucket(bucket).Get(boltdb.Key(tenant, string(domain))); value != nil {
				found = true
				e, err = decode(value)
				return err
			}
		}
		return nil
	})
	return e, found && err == nil, err
}

func decode(value []byte) (e allowlist.Entry, err error) {
	if err := json.Unmarshal(value, &e); err != nil {
		return e, fmt.Errorf("decode an entry of the allowlist: %w", err)
	}
	return e, nil
}
