package dynamo

import (
	"context"
	"errors"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/share"
)

// Options are the optional settings of a Store.
type Options struct {
	Keep time.Duration    // how long a task is kept after it was settled; zero is for ever
	Now  func() time.Time // nil is time.Now
}

// Store is an orchestrator.Store and an orchestrator.ContextStore; it is safe for concurrent use, by any number of processes.
type Store struct {
	db    *ddb.Client
	cache cache
	turns *share.Turns[orchestrator.Key] // of writers of one process, one for each task
	days  days
	Options
}

var (
	_ orchestrator.Store        = (*Store)(nil)
	_ orchestrator.ContextStore = (*Store)(nil)
)

// New returns a store in the tables of Tables.
func New(db *ddb.Client, o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{db: db, turns: share.NewTurns[orchestrator.Key](1), Options: o}
}

// Create implements orchestrator.Store.
func (s *Store) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (orchestrator.Task, bool, error) {
	if err := s.enterDay(ctx, &t); err != nil {
		return orchestrator.Task{}, false, err
	}
	k := t.Key()
	var tries tries
	defer func() { s.discard(ctx, tries.left) }()
	var expired ddb.Item
	var stored *state
	var created bool
	err := contend(ctx, k, func() error {
		stored = &state{task: t}
		moved := s.replace(ctx, nil, expired, stored, events, &tries)
		if created = moved == nil; !errors.Is(moved, ddb.ErrMoved) {
			return moved
		}
		item, err := s.get(ctx, taskKey(k))
		if err != nil {
			return err
		}
		if item != nil && !s.over(item) {
			stored, err = s.withContent(ctx, item, isKnown)
			return err
		}
		expired = item // it may be replaced, although it still exists
		return moved
	})
	if err != nil {
		return orchestrator.Task{}, false, err
	}
	return stored.task, created, nil
}

// Task implements orchestrator.Store.
func (s *Store) Task(ctx context.Context, k orchestrator.Key) (orchestrator.Task, error) {
	st, err := s.task(ctx, k, isKnown)
	if err != nil {
		return orchestrator.Task{}, err
	}
	return st.task, nil
}

// TaskPart implements orchestrator.Store.
func (s *Store) TaskPart(ctx context.Context, k orchestrator.Key, want orchestrator.Part) (orchestrator.Task, error) {
	st, err := s.task(ctx, k, isPart(want))
	if err != nil {
		return orchestrator.Task{}, err
	}
	for name := range st.content {
		if isArtifact(name) && !want.Artifacts {
			fill(&st.task, name, (*a2apb.Artifact)(nil))
		}
	}
	return st.task, nil
}

// Update implements orchestrator.Store.
func (s *Store) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	done, err := s.turns.Take(ctx, k) // rather than fail
	if err != nil {
		return orchestrator.Task{}, err
	}
	defer done()
	var tries tries
	defer func() { s.discard(ctx, tries.left) }()
	var stored *state
	err = contend(ctx, k, func() error {
		old, err := s.task(ctx, k, isKnown)
		if err != nil {
			return err
		}
		stored = &state{task: old.task, content: old.content, log: old.log, goes: old.goes, item: old.item}
		events, err := change(&stored.task)
		if errors.Is(err, orchestrator.ErrUnchanged) {
			stored = old
			return nil
		}
		if err != nil {
			return err
		}
		return s.replace(ctx, old, old.item, stored, events, &tries)
	})
	if err != nil {
		return orchestrator.Task{}, err
	}
	return stored.task, nil
}

// contend calls try until no other writer of the task was faster.
func contend(ctx context.Context, k orchestrator.Key, try func() error) error {
	return ddb.Contend(ctx, "task "+k.ID, try)
}

// replace writes next in place of old, whose item was read: first the new records, then the task's item that refers to them. It sets what only a
// write may set: the version, the numbers of the events and that of the task's last one. It returns ddb.ErrMoved when nothing was written because
// others were faster.
func (s *Store) replace(ctx context.Context, old *state, was ddb.Item, next *state, events []orchestrator.Event, tries *tries) error {
	t := &next.task
	t.Version++
	numbered := make([]orchestrator.Event, len(events))
	for i, e := range events {
		t.LastEvent++
		e.Sequence = t.LastEvent
		numbered[i] = e
	}
	added, err := s.prepare(old, next, numbered, tries.large)
	if err != nil {
		return err
	}
	item, err := s.encode(next)
	if err != nil {
		return err
	}
	if err := boltdb.CheckItem("the task's state, with room for its end,", ddb.Size(item)+t.ReservedBytes()); err != nil {
		return err
	}
	if err := s.write(ctx, added, tries); err != nil {
		return err
	}
	err = s.db.Replace(ctx, tableTasks, was, item)
	if err == nil || unknown(err) { // the task refers to what was written, or may
		tries.left = nil
	}
	if err == nil {
		for record, content := range added.content {
			s.cache.put(recordID(item, record), content, added.size[record])
		}
	}
	return err
}

// task returns the current state of a task, with the content that is wanted.
func (s *Store) task(ctx context.Context, k orchestrator.Key, wanted func(name string) bool) (*state, error) {
	item, err := s.item(ctx, k)
	if err != nil {
		return nil, err
	}
	return s.withContent(ctx, item, wanted)
}

// maxKey is how many bytes DynamoDB takes as a partition key. No task has such an id, but callers over A2A may ask for any.
const maxKey = 2048

// item returns a task's item, unless that has expired.
func (s *Store) item(ctx context.Context, k orchestrator.Key) (ddb.Item, error) {
	key := taskKey(k)
	if len(key) > maxKey {
		return nil, orchestrator.Missing(k)
	}
	item, err := s.get(ctx, key)
	if err != nil {
		return nil, err
	}
	if item == nil || s.over(item) {
		return nil, orchestrator.Missing(k)
	}
	return item, nil
}

// withContent returns the task of an item, with the content that is wanted.
func (s *Store) withContent(ctx context.Context, item ddb.Item, wanted func(name string) bool) (*state, error) {
	st, err := decode(item)
	if err != nil {
		return nil, orchestrator.UnreadableError(keyOf(ddb.TextOf(item, attrTask)), err)
	}
	if err := s.load(ctx, []*state{st}, wanted); err != nil {
		return nil, err
	}
	if st.broken != nil {
		return nil, orchestrator.UnreadableError(keyOf(ddb.TextOf(item, attrTask)), st.broken)
	}
	return st, nil
}

// get reads a task's item consistently. It returns nil when there is none.
func (s *Store) get(ctx context.Context, key string) (ddb.Item, error) {
	answer, err := s.db.API().GetItem(ctx, &dynamodb.GetItemInput{TableName: s.db.Table(tableTasks), Key: taskItem(key), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, ddb.Fault("reading a task", err)
	}
	return answer.Item, nil
}

func unknown(err error) bool { return fault.ReasonOf(err) == "WRITE_OUTCOME_UNKNOWN" }
