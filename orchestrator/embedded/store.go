// Package embedded keeps tasks in a bbolt file: the same domain and engine as on any other store, durable on one machine.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

var (
	taskBucket   = []byte("tasks")        // tenant, id → state
	blobBucket   = []byte("task_blobs")   // tenant, id, blob name → A2A message or artifact
	eventBucket  = []byte("task_events")  // tenant, id, sequence → event
	openBucket   = []byte("tasks_open")   // shard, tenant, id → nothing; only while the task is not settled
	recentBucket = []byte("tasks_recent") // tenant, inverted creation time, id → nothing
	endedBucket  = []byte("tasks_ended")  // time of the last change, tenant, id → nothing; only of settled tasks

	contextBucket = []byte("task_contexts") // tenant, owner, context, agent → the agent's id of the context
)

// Store implements orchestrator.Store.
type Store struct {
	db    *boltdb.DB
	cache cache
}

var _ orchestrator.Store = (*Store)(nil)

// New returns a store in db, which stays the caller's to close.
func New(ctx context.Context, db *boltdb.DB) (*Store, error) {
	err := db.Update(ctx, func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{taskBucket, blobBucket, eventBucket, openBucket, recentBucket, endedBucket, contextBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("prepare task store: %w", err)
	}
	return &Store{db: db}, nil
}

// Create implements orchestrator.Store.
func (s *Store) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (orchestrator.Task, bool, error) {
	var stored orchestrator.Task
	var created bool
	err := s.db.Update(ctx, func(tx *bbolt.Tx) error {
		k := orchestrator.Key{Tenant: t.Tenant, ID: t.ID}
		old, err := s.read(tx, k)
		if err == nil {
			stored, created = old, false
			return nil
		}
		if fault.KindOf(err) != fault.NotFound {
			return err
		}
		stored, created = t, true
		if err := tx.Bucket(recentBucket).Put(recentKey(&t), nil); err != nil {
			return err
		}
		return write(tx, nil, &stored, events)
	})
	if err != nil {
		return orchestrator.Task{}, false, fmt.Errorf("create task %s: %w", t.ID, err)
	}
	s.cache.put(&stored)
	return stored, created, nil
}

// Task implements orchestrator.Store.
func (s *Store) Task(_ context.Context, k orchestrator.Key) (t orchestrator.Task, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		t, err = s.read(tx, k)
		return err
	})
	if err == nil {
		s.cache.put(&t)
	}
	return t, err
}

// Update implements orchestrator.Store.
func (s *Store) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	var result orchestrator.Task
	err := s.db.Update(ctx, func(tx *bbolt.Tx) error {
		old, err := s.read(tx, k)
		if err != nil {
			return err
		}
		next := old
		events, err := change(&next)
		if errors.Is(err, orchestrator.ErrUnchanged) {
			result = old
			return nil
		}
		if err != nil {
			return err
		}
		if err := write(tx, &old, &next, events); err != nil {
			return err
		}
		result = next
		return nil
	})
	if err == nil {
		s.cache.put(&result)
	}
	return result, err
}

// Tasks implements orchestrator.Store.
func (s *Store) Tasks(_ context.Context, tenant, after string, limit int) (page []orchestrator.Task, next string, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		return scan(tx.Bucket(recentBucket), boltdb.Prefix(tenant), []byte(after), func(key, _ []byte) (bool, error) {
			if len(page) == limit {
				next = string(recentKey(&page[limit-1]))
				return false, nil
			}
			parts := boltdb.Split(key)
			t, err := readState(tx, orchestrator.Key{Tenant: tenant, ID: parts[len(parts)-1]})
			if err != nil {
				return false, err
			}
			page = append(page, t)
			return true, nil
		})
	})
	if err != nil {
		return nil, "", fmt.Errorf("list tasks: %w", err)
	}
	return page, next, nil
}

// Unfinished implements orchestrator.Store.
func (s *Store) Unfinished(_ context.Context, shard int, after orchestrator.Key, limit int) (keys []orchestrator.Key, err error) {
	var from []byte
	if after != (orchestrator.Key{}) {
		from = openKey(shard, after)
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		return scan(tx.Bucket(openBucket), boltdb.Prefix(shardPart(shard)), from, func(key, _ []byte) (bool, error) {
			parts := boltdb.Split(key)
			keys = append(keys, orchestrator.Key{Tenant: parts[1], ID: parts[2]})
			return len(keys) < limit, nil
		})
	})
	return keys, err
}

// Events implements orchestrator.Store.
func (s *Store) Events(_ context.Context, k orchestrator.Key, after uint64, limit int) (events []orchestrator.Event, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		if tx.Bucket(taskBucket).Get(taskKey(k)) == nil {
			return notFound(k)
		}
		return scan(tx.Bucket(eventBucket), boltdb.Prefix(k.Tenant, k.ID), eventKey(k, after), func(_, value []byte) (bool, error) {
			e, err := decodeEvent(value)
			if err != nil {
				return false, err
			}
			events = append(events, e)
			return len(events) < limit, nil
		})
	})
	return events, err
}

func taskKey(k orchestrator.Key) []byte { return boltdb.Key(k.Tenant, k.ID) }

func openKey(shard int, k orchestrator.Key) []byte {
	return boltdb.Key(shardPart(shard), k.Tenant, k.ID)
}

func shardPart(shard int) string { return fmt.Sprintf("%04d", shard) }

func eventKey(k orchestrator.Key, sequence uint64) []byte {
	return boltdb.Key(k.Tenant, k.ID, fmt.Sprintf("%016x", sequence))
}

// recentKey sorts the newest task first.
func recentKey(t *orchestrator.Task) []byte {
	return boltdb.Key(t.Tenant, fmt.Sprintf("%016x", math.MaxInt64-t.CreateTime.UTC().Truncate(time.Microsecond).UnixMicro()), t.ID)
}

func notFound(k orchestrator.Key) error {
	return fault.New(fault.NotFound, "TASK_NOT_FOUND", "there is no task %q", k.ID).With("task", k.ID)
}
