package embedded

import (
	"context"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

var _ orchestrator.ContextStore = (*Store)(nil)

// contextPeriod is the time whose contexts share a bucket. A context that is used moves to the current bucket, so unused ones are removed with their
// bucket.
const contextPeriod = orchestrator.ContextLife / 3

// period returns the name of the bucket for a time. Names sort like times.
func period(t time.Time) string {
	return fmt.Sprintf("%06d", t.Unix()/int64(contextPeriod/time.Second))
}

// AgentContext implements orchestrator.ContextStore.
func (s *Store) AgentContext(ctx context.Context, k orchestrator.ContextKey) (id string, err error) {
	key, now, used := contextKey(k), period(time.Now()), ""
	err = s.db.View(func(tx *bbolt.Tx) error {
		id, used = findContext(tx, key)
		return nil
	})
	if err != nil || id == "" || used == now {
		return id, err
	}
	err = s.db.Update(ctx, func(tx *bbolt.Tx) error {
		if id, _ = findContext(tx, key); id == "" { // it may have changed
			return nil
		}
		return putContext(tx, now, key, id)
	})
	return id, err
}

// SetAgentContext implements orchestrator.ContextStore.
func (s *Store) SetAgentContext(ctx context.Context, k orchestrator.ContextKey, id string) error {
	now := period(time.Now())
	err := s.db.Update(ctx, func(tx *bbolt.Tx) error { return putContext(tx, now, contextKey(k), id) })
	if err != nil {
		return fmt.Errorf("store the context of agent %q: %w", k.Agent, err)
	}
	return nil
}

// ForgetContexts removes the contexts that were not used for longer than orchestrator.ContextLife.
func (s *Store) ForgetContexts(ctx context.Context) error {
	last := period(time.Now().Add(-orchestrator.ContextLife)) // some of its contexts may have been used within that time
	var over [][]byte
	err := s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(contextBucket).Cursor()
		for name, _ := c.First(); name != nil && string(name) < last; name, _ = c.Next() {
			over = append(over, append([]byte(nil), name...))
		}
		return nil
	})
	if err != nil || len(over) == 0 {
		return err
	}
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		for _, name := range over {
			if err := tx.Bucket(contextBucket).DeleteBucket(name); err != nil {
				return fmt.Errorf("forget the contexts of period %s: %w", name, err)
			}
		}
		return nil
	})
}

// findContext returns the id of a context and the period of its last use, or "" when it is unknown.
func findContext(tx *bbolt.Tx, key []byte) (id, used string) {
	all := tx.Bucket(contextBucket)
	c := all.Cursor()
	for name, _ := c.Last(); name != nil; name, _ = c.Prev() {
		if id := all.Bucket(name).Get(key); id != nil {
			return string(id), string(name)
		}
	}
	return "", ""
}

// putContext stores a context under a period, and removes it from later ones, which there are after a clock was set back. Others stay there until they
// are used.
func putContext(tx *bbolt.Tx, now string, key []byte, id string) error {
	all := tx.Bucket(contextBucket)
	c := all.Cursor()
	for name, _ := c.Last(); string(name) > now; name, _ = c.Prev() {
		if err := all.Bucket(name).Delete(key); err != nil {
			return err
		}
	}
	b, err := all.CreateBucketIfNotExists([]byte(now))
	if err != nil {
		return err
	}
	return b.Put(key, []byte(id))
}

// dateContexts moves contexts that an earlier version stored without a period to the current one.
func dateContexts(tx *bbolt.Tx) error {
	all, ids := tx.Bucket(contextBucket), make(map[string]string)
	c := all.Cursor()
	for key, id := c.First(); key != nil; key, id = c.Next() {
		if id != nil { // it is not a bucket
			ids[string(key)] = string(id)
		}
	}
	for key := range ids {
		if err := all.Delete([]byte(key)); err != nil {
			return err
		}
	}
	for key, id := range ids {
		if err := putContext(tx, period(time.Now()), []byte(key), id); err != nil {
			return err
		}
	}
	return nil
}

func contextKey(k orchestrator.ContextKey) []byte {
	return boltdb.Key(k.Tenant, k.Owner, k.ContextID, k.Agent)
}
