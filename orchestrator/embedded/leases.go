package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

var (
	leaseBucket = []byte("leases")      // group → epoch, owner
	nodeBucket  = []byte("lease_nodes") // node → beats
	mailBucket  = []byte("lease_mail")  // node, tenant, id → nothing
)

// Leases implements orchestrator.LeaseStore for the one process that has the file open.
type Leases struct{ db *boltdb.DB }

var _ orchestrator.LeaseStore = (*Leases)(nil)

// NewLeases returns a lease store in db, which the caller closes. Only one process has the file open, so the one before is dead: its node is removed,
// and this process takes over without waiting.
func NewLeases(ctx context.Context, db *boltdb.DB) (*Leases, error) {
	err := db.Update(ctx, func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{nodeBucket, mailBucket} {
			if err := tx.DeleteBucket(name); err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
				return err
			}
		}
		for _, name := range [][]byte{leaseBucket, nodeBucket, mailBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("prepare lease store: %w", err)
	}
	return &Leases{db: db}, nil
}

// Beat implements orchestrator.LeaseStore.
func (s *Leases) Beat(ctx context.Context, n orchestrator.Node) error {
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(nodeBucket).Put([]byte(n.ID), binary.BigEndian.AppendUint64(nil, n.Beats))
	})
}

// Nodes implements orchestrator.LeaseStore.
func (s *Leases) Nodes(context.Context) (nodes []orchestrator.Node, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(nodeBucket).ForEach(func(key, value []byte) error {
			nodes = append(nodes, orchestrator.Node{ID: string(key), Beats: binary.BigEndian.Uint64(value)})
			return nil
		})
	})
	return nodes, err
}

// Leave implements orchestrator.LeaseStore.
func (s *Leases) Leave(ctx context.Context, node string) error {
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		if _, err := collect(tx, node, 0); err != nil {
			return err
		}
		return tx.Bucket(nodeBucket).Delete([]byte(node))
	})
}

// Leases implements orchestrator.LeaseStore.
func (s *Leases) Leases(context.Context) (leases []orchestrator.Lease, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(leaseBucket).ForEach(func(key, value []byte) error {
			leases = append(leases, decodeLease(int(binary.BigEndian.Uint16(key)), value))
			return nil
		})
	})
	return leases, err
}

// Take implements orchestrator.LeaseStore.
func (s *Leases) Take(ctx context.Context, group int, node string, seen uint64) (orchestrator.Lease, error) {
	l := orchestrator.Lease{Group: group, Owner: node, Epoch: seen + 1}
	err := s.db.Update(ctx, func(tx *bbolt.Tx) error {
		if old := lease(tx, group); old.Epoch != seen {
			return boltdb.Unwritten(fault.New(fault.Conflict, "LEASE_TAKEN", "group %d is at epoch %d, not %d", group, old.Epoch, seen))
		}
		return putLease(tx, l)
	})
	return l, err
}

// Release implements orchestrator.LeaseStore.
func (s *Leases) Release(ctx context.Context, l orchestrator.Lease) error {
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		if lease(tx, l.Group) != l {
			return nil
		}
		return putLease(tx, orchestrator.Lease{Group: l.Group, Epoch: l.Epoch})
	})
}

// Post implements orchestrator.LeaseStore.
func (s *Leases) Post(ctx context.Context, node string, k orchestrator.Key) error {
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(mailBucket).Put(boltdb.Key(node, k.Tenant, k.ID), nil)
	})
}

// Collect implements orchestrator.LeaseStore.
func (s *Leases) Collect(ctx context.Context, node string, limit int) (keys []orchestrator.Key, err error) {
	if empty, err := s.noMail(node); empty || err != nil {
		return nil, err // reading takes no write
	}
	err = s.db.Update(ctx, func(tx *bbolt.Tx) error {
		keys, err = collect(tx, node, limit)
		return err
	})
	return keys, err
}

func (s *Leases) noMail(node string) (empty bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		empty = true
		return scan(tx.Bucket(mailBucket), boltdb.Prefix(node), nil, func([]byte) (bool, error) {
			empty = false
			return false, nil
		})
	})
	return empty, err
}

// collect removes and returns the messages for a node; a limit of 0 means all.
func collect(tx *bbolt.Tx, node string, limit int) (keys []orchestrator.Key, err error) {
	b := tx.Bucket(mailBucket)
	err = scan(b, boltdb.Prefix(node), nil, func(key []byte) (bool, error) {
		parts := boltdb.Split(key)
		keys = append(keys, orchestrator.Key{Tenant: parts[1], ID: parts[2]})
		return len(keys) != limit, nil
	})
	for _, k := range keys {
		err = errors.Join(err, b.Delete(boltdb.Key(node, k.Tenant, k.ID)))
	}
	return keys, err
}

func groupKey(group int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(group)) } //nolint:gosec // there are 128

func lease(tx *bbolt.Tx, group int) orchestrator.Lease {
	return decodeLease(group, tx.Bucket(leaseBucket).Get(groupKey(group)))
}

func decodeLease(group int, b []byte) orchestrator.Lease {
	if b == nil {
		return orchestrator.Lease{Group: group}
	}
	return orchestrator.Lease{Group: group, Owner: string(b[8:]), Epoch: binary.BigEndian.Uint64(b)}
}

func putLease(tx *bbolt.Tx, l orchestrator.Lease) error {
	return tx.Bucket(leaseBucket).Put(groupKey(l.Group), append(binary.BigEndian.AppendUint64(nil, l.Epoch), l.Owner...))
}
