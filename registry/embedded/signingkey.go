package embedded

import (
	"context"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
)

var _ registry.SigningKeyStore = (*Store)(nil)

// PutSigningKey adds a key and remembers the request for it.
func (s *Store) PutSigningKey(ctx context.Context, key registry.SigningKey, remember *registry.Request) error {
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		bucket, id := tx.Bucket(bucketKeys), boltdb.Key(key.Tenant, key.ID)
		if bucket.Get(id) != nil {
			return boltdb.Unwritten(registry.SigningKeyExists(key.ID))
		}
		n := 0
		err := scan(bucket, boltdb.Prefix(key.Tenant), nil, registry.MaxSigningKeys, func(_, _ []byte) error {
			n++
			return nil
		})
		if err != nil {
			return err
		}
		if n == registry.MaxSigningKeys {
			return boltdb.Unwritten(registry.SigningKeysFull())
		}
		w := &writer{tx: tx, key: registry.Key{Tenant: key.Tenant}}
		w.request(remember)
		w.put(bucketKeys, id, w.encoded("the key", key))
		return w.err
	})
}

// DeleteSigningKey removes a key and remembers the request for it.
func (s *Store) DeleteSigningKey(ctx context.Context, tenant, id string, remember *registry.Request) (ok bool, err error) {
	err = s.db.Update(ctx, func(tx *bbolt.Tx) error {
		at := boltdb.Key(tenant, id)
		if ok = tx.Bucket(bucketKeys).Get(at) != nil; !ok {
			return nil
		}
		w := &writer{tx: tx, key: registry.Key{Tenant: tenant}}
		w.request(remember)
		w.remove(bucketKeys, at)
		return w.err
	})
	return ok && err == nil, err
}

// SigningKeys returns all keys of the tenant.
func (s *Store) SigningKeys(ctx context.Context, tenant string) (keys []registry.SigningKey, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		return scan(tx.Bucket(bucketKeys), boltdb.Prefix(tenant), nil, registry.MaxSigningKeys, func(id, value []byte) error {
			key := registry.SigningKey{Tenant: tenant, ID: boltdb.Split(id)[1]}
			if err := decode("key", value, &key); err != nil {
				return err
			}
			keys = append(keys, key)
			return nil
		})
	})
	return keys, err
}
