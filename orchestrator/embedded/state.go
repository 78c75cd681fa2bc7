package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

// record is a task and where in the log its content is. As with tasks, what it points to is shared and never changed.
type record struct {
	orchestrator.Task
	Places places
}

// places are numbers in the log; 0 is nothing.
type places struct {
	Events    uint64   `json:",omitempty"` // of the last write that had any
	Messages  []uint64 `json:",omitempty"` // what was submitted, and behind it the turns'
	Artifacts []uint64 `json:",omitempty"`
}

// versionSize is the length of the version before a state's JSON, where it can be compared without decoding the rest.
const versionSize = 8

const stateSize = 1 << 10 // which few exceed

func state(tx *bbolt.Tx, k orchestrator.Key) (version uint64, encoded []byte, err error) {
	b := tx.Bucket(taskBucket).Get(taskKey(k))
	if b == nil {
		return 0, nil, notFound(k)
	}
	if len(b) < versionSize {
		return 0, nil, fmt.Errorf("decode task %s: it is too short", k.ID)
	}
	return binary.BigEndian.Uint64(b), b[versionSize:], nil
}

// readState returns a task without its content.
func readState(tx *bbolt.Tx, k orchestrator.Key) (*record, error) {
	_, b, err := state(tx, k)
	if err != nil {
		return nil, err
	}
	r := &record{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("decode task %s: %w", k.ID, err)
	}
	r.Tenant, r.ID = k.Tenant, k.ID
	if r.ContextID == "" {
		r.ContextID = k.ID
	}
	return r, nil
}

// writeState stores a task but for its content. What the key says is left out: the ids, and that of a context that began with the task.
func writeState(tx *bbolt.Tx, r *record) error {
	k, short := keyOf(r), *r
	short.Tenant, short.ID = "", ""
	if r.ContextID == r.ID {
		short.ContextID = ""
	}
	b := bytes.NewBuffer(make([]byte, versionSize, stateSize))
	binary.BigEndian.PutUint64(b.Bytes(), r.Version)
	if err := json.NewEncoder(b).Encode(&short); err != nil {
		return fmt.Errorf("encode task: %w", err)
	}
	if err := boltdb.CheckItem("the task's state", b.Len()); err != nil {
		return err
	}
	return bucket(tx, taskBucket).Put(taskKey(k), b.Bytes())
}

// read returns a whole task as tx sees it.
func (s *Store) read(tx *bbolt.Tx, k orchestrator.Key) (*record, error) {
	r, _, err := s.look(tx, k)
	return r, err
}

// look returns a whole task as tx sees it, and whether it is the cache's.
func (s *Store) look(tx *bbolt.Tx, k orchestrator.Key) (r *record, known bool, err error) {
	version, _, err := state(tx, k)
	if err != nil {
		return nil, false, err
	}
	if r := s.cache.get(k, version); r != nil {
		return r, true, nil
	}
	r, err = readTask(tx, k)
	return r, false, err
}

// readTask returns a whole task from the file.
func readTask(tx *bbolt.Tx, k orchestrator.Key) (*record, error) {
	r, err := readState(tx, k)
	if err != nil {
		return nil, err
	}
	if err := readContent(tx, r); err != nil {
		return nil, fmt.Errorf("decode content of task %s: %w", k.ID, err)
	}
	return r, nil
}

// write stores r in place of old, which is nil for a new task, and appends events to its log. It sets what only a write may set:
// the version, the last event's number, and where things are.
func (s *Store) write(tx *bbolt.Tx, old, r *record, events []orchestrator.Event) error {
	r.Version++
	if err := writeEvents(tx, r, events); err != nil {
		return err
	}
	if err := writeContent(tx, old, r); err != nil {
		return err
	}
	if err := writeState(tx, r); err != nil {
		return err
	}
	if err := noteEnd(tx, old, r); err != nil {
		return err
	}
	s.cache.note(tx, r)
	open := openKey(r.Shard, keyOf(r))
	switch {
	case r.Settled():
		return tx.Bucket(openBucket).Delete(open)
	case old == nil || old.Settled():
		return tx.Bucket(openBucket).Put(open, nil)
	default:
		return nil
	}
}
