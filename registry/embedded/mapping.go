package embedded

import (
	"context"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
)

var _ registry.MappingStore = (*Store)(nil)

// Mappings returns the tenant's semantic mappings in order of name.
func (s *Store) Mappings(ctx context.Context, tenant string) (mappings []registry.Mapping, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		mappings, err = readMappings(tx, tenant)
		return err
	})
	return mappings, err
}

// UpdateMappings reads the tenant's mappings and writes what change makes of them, in one transaction.
func (s *Store) UpdateMappings(ctx context.Context, tenant string, change func(old []registry.Mapping) (registry.MappingChange, error)) error {
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		old, err := readMappings(tx, tenant)
		if err != nil {
			return err
		}
		c, err := change(old)
		if err != nil {
			return boltdb.Unwritten(err)
		}
		w := &writer{tx: tx, key: registry.Key{Tenant: tenant}}
		w.request(c.Remember)
		w.put(bucketMappings, boltdb.Key(tenant), w.encoded("the semantic mappings", c.Mappings))
		w.log(registry.Entry{Type: registry.ChangeMapping})
		return w.err
	})
}

func readMappings(tx *bbolt.Tx, tenant string) (mappings []registry.Mapping, err error) {
	value := tx.Bucket(bucketMappings).Get(boltdb.Key(tenant))
	if value == nil {
		return nil, nil
	}
	return mappings, decode("mappings", value, &mappings)
}
