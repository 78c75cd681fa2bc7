package embedded

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
)

var _ registry.ChangeLog = (*Store)(nil)

// Head returns the tenant's latest revision.
func (s *Store) Head(ctx context.Context, tenant string) (revision int64, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		revision = head(tx, tenant)
		return nil
	})
	return revision, err
}

// Changes returns the tenant's changes behind the revision after, or the fault of registry.RevisionGone.
func (s *Store) Changes(ctx context.Context, tenant string, after int64, limit int) (entries []registry.Entry, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		last := head(tx, tenant)
		if after == last {
			return nil
		}
		if after < 0 || after > last || after < last-registry.ChangesKept {
			return registry.RevisionGone(after)
		}
		return scan(tx.Bucket(bucketChanges), boltdb.Prefix(tenant), changeID(tenant, after), limit, func(key, value []byte) error {
			var entry registry.Entry
			if err := decode("change", value, &entry); err != nil {
				return err
			}
			entry.Revision, err = strconv.ParseInt(boltdb.Split(key)[1], 16, 64)
			entries = append(entries, entry)
			return err
		})
	})
	return entries, err
}

// changeID sorts by revision within the tenant.
func changeID(tenant string, revision int64) []byte {
	return boltdb.Key(tenant, fmt.Sprintf("%016x", revision))
}

func head(tx *bbolt.Tx, tenant string) int64 {
	value := tx.Bucket(bucketHeads).Get(boltdb.Key(tenant))
	if len(value) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(value)) //nolint:gosec // it was written from an int64
}

// log appends an entry to the log of the agent's tenant and deletes the oldest one beyond the limit.
func (w *writer) log(entry registry.Entry) {
	if w.err != nil || w.dry {
		return
	}
	tenant := w.key.Tenant
	revision := head(w.tx, tenant) + 1
	entry.Time = time.Now().UTC()
	w.put(bucketChanges, changeID(tenant, revision), w.encoded("the change", entry))
	w.put(bucketHeads, boltdb.Key(tenant), binary.BigEndian.AppendUint64(nil, uint64(revision))) //nolint:gosec // it counts from 1
	if revision > registry.ChangesKept {
		w.remove(bucketChanges, changeID(tenant, revision-registry.ChangesKept))
	}
}

// changed logs what an update did.
func (w *writer) changed(old *registry.Record, c registry.Change) {
	entry := registry.Entry{Agent: w.key.Name}
	switch {
	case old == nil && c.Record == nil:
		return
	case old == nil:
		entry.Type = registry.ChangeCreated
	case c.Record == nil:
		entry.Type = registry.ChangeDeleted
	case old.Etag != c.Record.Etag:
		entry.Type = registry.ChangeUpdated
	default:
		return
	}
	w.log(entry)
}

// announced logs a new status.
func (w *writer) announced(old, next registry.Pulse) {
	if old.AnnouncedStatus() != next.AnnouncedStatus() {
		w.log(registry.Entry{Type: registry.ChangeStatus, Agent: w.key.Name, Status: next.AnnouncedStatus()})
	}
}
