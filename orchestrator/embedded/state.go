package embedded

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

// record is a task with the places of its content in the log. Like the task, what it points to is shared and never changed.
type record struct {
	orchestrator.Task
	places places
	newer  []byte // the encoded state, if it has what this version does not know
	state  int    // approximate size of the state in memory
	size   int    // approximate size of the content in memory
}

// weight returns approximately how much memory a task takes.
func (r *record) weight() int { return r.state + r.size }

// versionSize is the length of the version at the beginning of a state, which can be compared without decoding the rest.
const versionSize = 8

// state returns a task's version and the rest of its state: places, and the task without its content.
func state(tx *bbolt.Tx, k orchestrator.Key) (version uint64, rest []byte, err error) {
	b := tx.Bucket(taskBucket).Get(taskKey(k))
	if b == nil {
		return 0, nil, orchestrator.Missing(k)
	}
	if len(b) < versionSize {
		return 0, nil, orchestrator.UnreadableError(k, fmt.Errorf("decode task %s: it is too short", k.ID))
	}
	return binary.BigEndian.Uint64(b), b[versionSize:], nil
}

// readState returns a task without its content, and its encoded state, which is valid as long as tx.
func readState(tx *bbolt.Tx, k orchestrator.Key) (r *record, b []byte, err error) {
	version, b, err := state(tx, k)
	if err != nil {
		return nil, nil, err
	}
	r = &record{}
	if b, err = r.places.read(b); err == nil {
		r.state = len(b)
		err = taskLayout.unpack(b, &r.Task)
	}
	if err != nil {
		return nil, nil, orchestrator.UnreadableError(k, fmt.Errorf("decode task %s: %w", k.ID, err))
	}
	r.state += orchestrator.AttributesOverhead(r.Attributes)
	r.Tenant, r.ID, r.Version = k.Tenant, k.ID, version
	if r.ContextID == "" {
		r.ContextID = k.ID
	}
	return r, b, nil
}

// usualState is a size in bytes that few states exceed.
const usualState = 512

// encodeTask encodes a task, which replaces old, without its content, its version and what its key contains.
func encodeTask(old, r *record) ([]byte, error) {
	b, err := taskLayout.pack(make([]byte, 0, usualState), &r.Task)
	if err == nil && old.newer != nil {
		b, err = keepNewer(b, old)
		r.newer = b
	}
	if err != nil {
		return nil, fmt.Errorf("encode task: %w", err)
	}
	return b, nil
}

// writeState stores an encoded task without its content.
func writeState(tx *bbolt.Tx, key []byte, r *record, encoded []byte) error {
	b := make([]byte, 0, versionSize+r.places.maxEncodedSize()+len(encoded))
	b = append(r.places.append(binary.BigEndian.AppendUint64(b, r.Version)), encoded...)
	if err := boltdb.CheckItem("the task's state, its attributes and room for its end included,", len(b)+r.ReservedBytes()); err != nil {
		return err
	}
	return bucket(tx, taskBucket).Put(key, b)
}

// read returns a whole task as tx sees it.
func (s *Store) read(tx *bbolt.Tx, k orchestrator.Key) (*record, error) {
	version, _, err := state(tx, k)
	if err != nil {
		return nil, err
	}
	if r := s.cache.get(k); r != nil && r.Version == version {
		return r, nil
	}
	return readTask(tx, k, everything)
}

// everything is the part of a task that is all of it.
var everything = orchestrator.Part{Messages: true, Artifacts: true}

// readTask returns a task with a part of its content from the file.
func readTask(tx *bbolt.Tx, k orchestrator.Key, want orchestrator.Part) (*record, error) {
	r, encoded, err := readState(tx, k)
	if err != nil {
		return nil, err
	}
	if want == everything { // others are not changed
		if err := noteNewer(r, encoded); err != nil {
			return nil, err
		}
	}
	if err := readContent(tx, r, want); err != nil {
		return nil, orchestrator.UnreadableError(k, fmt.Errorf("decode content of task %s: %w", k.ID, err))
	}
	return r, nil
}
