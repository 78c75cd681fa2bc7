// Package embedded keeps tasks in a bbolt file, durable on one machine.
//
// Small data that changes is rewritten in place. What a step adds, its events and its content, is appended to one log to which the task refers, so
// that steps of many tasks in one commit share pages of the file.
package embedded

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

// Bucket is in every file of this store, and in no file of another.
const Bucket = "tasks"

var (
	taskBucket   = []byte(Bucket)         // tenant, id → state
	statusBucket = []byte("tasks_status") // tenant, id → the last thing the agent said
	aboutBucket  = []byte("tasks_about")  // tenant, id → the metadata of the agent's task
	logBucket    = []byte("task_log")     // number → content, or the events of one write
	openBucket   = []byte("tasks_open")   // shard, tenant, id → nothing; only while the task is not settled
	recentBucket = []byte("tasks_recent") // tenant, creation time, id → nothing

	contextBucket = []byte("task_contexts") // period → tenant, owner, context, agent → the agent's id of the context
)

// fills says how full bbolt leaves the pages that it splits. Ordered keys need no free space; a task's state does, since it grows.
var fills = map[string]float64{
	string(taskBucket): 0.75, string(logBucket): 1, string(recentBucket): 0.9,
}

// bucket returns a bucket for writing.
func bucket(tx *bbolt.Tx, name []byte) *bbolt.Bucket {
	b := tx.Bucket(name)
	if fill, ok := fills[string(name)]; ok {
		b.FillPercent = fill
	}
	return b
}

// Store implements orchestrator.Store.
type Store struct {
	db    *boltdb.DB
	cache cache
}

var _ orchestrator.Store = (*Store)(nil)

// New returns a store in db, which the caller closes. If the tasks in it have another form, the result is a FailedPrecondition fault with the reason
// STORE_FORM_UNKNOWN.
func New(ctx context.Context, db *boltdb.DB) (*Store, error) {
	err := db.Update(ctx, func(tx *bbolt.Tx) error {
		if err := checkForm(tx); err != nil {
			return err
		}
		for _, name := range [][]byte{taskBucket, statusBucket, aboutBucket, logBucket, openBucket, recentBucket, contextBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return dateContexts(tx)
	})
	if err != nil {
		return nil, fmt.Errorf("prepare task store: %w", err)
	}
	return &Store{db: db}, nil
}

// Task implements orchestrator.Store.
func (s *Store) Task(_ context.Context, k orchestrator.Key) (orchestrator.Task, error) {
	if r := s.cache.get(k); r != nil {
		return r.Task, nil
	}
	notes := s.cache.generation()
	var r *record
	err := s.db.View(func(tx *bbolt.Tx) (err error) {
		r, err = readTask(tx, k, everything)
		return err
	})
	if err != nil {
		return orchestrator.Task{}, err
	}
	s.cache.fill(r, notes)
	return r.Task, nil
}

// TaskPart implements orchestrator.Store. A task that is cached is whole; one that is not stays out of the cache.
func (s *Store) TaskPart(_ context.Context, k orchestrator.Key, want orchestrator.Part) (orchestrator.Task, error) {
	if r := s.cache.get(k); r != nil {
		return r.Task, nil
	}
	var r *record
	err := s.db.View(func(tx *bbolt.Tx) (err error) {
		r, err = readTask(tx, k, want)
		return err
	})
	if err != nil {
		return orchestrator.Task{}, err
	}
	s.cache.observeVersion(k, r.Version)
	return r.Task, nil
}

// Tasks implements orchestrator.Store.
func (s *Store) Tasks(_ context.Context, tenant, after string, limit int) (page []orchestrator.Task, next string, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		var last []byte
		return scanBack(tx.Bucket(recentBucket), boltdb.Prefix(tenant), []byte(after), func(key []byte) (bool, error) {
			if len(page) == limit {
				next = string(last)
				return false, nil
			}
			t, err := s.listed(tx, key)
			page, last = append(page, t), key
			return true, err
		})
	})
	if err != nil {
		return nil, "", fmt.Errorf("list tasks: %w", err)
	}
	return page, next, nil
}

func (s *Store) listed(tx *bbolt.Tx, key []byte) (orchestrator.Task, error) {
	parts := boltdb.Split(key)
	k := orchestrator.Key{Tenant: parts[0], ID: parts[2]}
	r, _, err := readState(tx, k)
	if fault.ReasonOf(err) == orchestrator.ReasonUnreadable {
		created, err := time.Parse(momentForm, parts[1])
		return orchestrator.Unreadable(k, created), err
	}
	if err != nil {
		return orchestrator.Task{}, err
	}
	s.cache.observeVersion(k, r.Version)
	return r.Task, nil
}

// Unfinished implements orchestrator.Store.
func (s *Store) Unfinished(_ context.Context, shard int, after orchestrator.Key, limit int) (keys []orchestrator.Key, err error) {
	var from []byte
	if after != (orchestrator.Key{}) {
		from = openKey(shard, after)
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		return scan(tx.Bucket(openBucket), boltdb.Prefix(shardPart(shard)), from, func(key []byte) (bool, error) {
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
		r, err := s.read(tx, k)
		if err != nil {
			return err
		}
		s.cache.observeVersion(k, r.Version)
		events, err = readEvents(tx, r.places.events, after, limit)
		return err
	})
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, fmt.Errorf("read the log of task %s: %w", k.ID, err)
	}
	return events, err
}

func taskKey(k orchestrator.Key) []byte { return boltdb.Key(k.Tenant, k.ID) }

func openKey(shard int, k orchestrator.Key) []byte {
	return boltdb.Key(shardPart(shard), k.Tenant, k.ID)
}

// shardPart returns a shard as four digits.
func shardPart(shard int) string {
	const beyond = 10_000
	return strconv.Itoa(beyond + shard)[1:]
}

func recentKey(t *orchestrator.Task) []byte {
	return boltdb.Key(t.Tenant, sortableTime(t.CreateTime), t.ID)
}

// momentForm is a format of times that sorts like them.
const momentForm = "20060102150405.000000"

func sortableTime(t time.Time) string { return t.UTC().Format(momentForm) }
