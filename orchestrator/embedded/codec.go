package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

// Names of a task's blobs; artifacts follow as artifact/0000 and so on.
const (
	messageBlob = "message"
	statusBlob  = "status"
)

func artifactBlob(i int) string { return fmt.Sprintf("artifact/%04d", i) }

// turnPrefix begins the names of the blobs of turns; their numbers follow.
const turnPrefix = "turn/"

func turnBlob(number int) string { return fmt.Sprintf("%s%04d", turnPrefix, number) }

func blobKey(k orchestrator.Key, name string) []byte { return boltdb.Key(k.Tenant, k.ID, name) }

// versionSize is the length of the version before a state's JSON, where it can be compared without decoding the rest.
const versionSize = 8

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

func readState(tx *bbolt.Tx, k orchestrator.Key) (t orchestrator.Task, err error) {
	_, b, err := state(tx, k)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(b, &t); err != nil {
		return t, fmt.Errorf("decode task %s: %w", k.ID, err)
	}
	return t, nil
}

// read returns a whole task, from the cache when it has the stored version.
func (s *Store) read(tx *bbolt.Tx, k orchestrator.Key) (orchestrator.Task, error) {
	version, _, err := state(tx, k)
	if err != nil {
		return orchestrator.Task{}, err
	}
	if t, ok := s.cache.get(k, version); ok {
		return t, nil
	}
	t, err := readState(tx, k)
	if err != nil {
		return t, err
	}
	err = scan(tx.Bucket(blobBucket), boltdb.Prefix(k.Tenant, k.ID), nil, func(key, value []byte) (bool, error) {
		parts := boltdb.Split(key)
		switch name := parts[len(parts)-1]; {
		case strings.HasPrefix(name, turnPrefix):
			return true, readTurn(&t, name, value)
		case name == messageBlob:
			t.Message = &a2apb.Message{}
			return true, proto.Unmarshal(value, t.Message)
		case name == statusBlob:
			t.StatusMessage = &a2apb.Message{}
			return true, proto.Unmarshal(value, t.StatusMessage)
		default:
			a := &a2apb.Artifact{}
			t.Artifacts = append(t.Artifacts, a)
			return true, proto.Unmarshal(value, a)
		}
	})
	if err != nil {
		return t, fmt.Errorf("decode content of task %s: %w", k.ID, err)
	}
	return t, nil
}

// write stores t in place of old, which is nil for a new task, and appends events to its log. It sets what only a write may set:
// the version, and the events' sequences and the task's last one.
func write(tx *bbolt.Tx, old, t *orchestrator.Task, events []orchestrator.Event) error {
	k := orchestrator.Key{Tenant: t.Tenant, ID: t.ID}
	t.Version++
	for _, e := range events {
		t.LastEvent++
		e.Sequence = t.LastEvent
		b, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode event: %w", err)
		}
		if err := tx.Bucket(eventBucket).Put(eventKey(k, e.Sequence), b); err != nil {
			return err
		}
	}
	if err := writeBlobs(tx, old, t); err != nil {
		return err
	}
	b, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("encode task: %w", err)
	}
	if err := boltdb.CheckItem("the task's state", len(b)); err != nil {
		return err
	}
	if err := tx.Bucket(taskBucket).Put(taskKey(k), append(binary.BigEndian.AppendUint64(nil, t.Version), b...)); err != nil {
		return err
	}
	if err := noteEnd(tx, old, t); err != nil {
		return err
	}
	if t.Settled() {
		return tx.Bucket(openBucket).Delete(openKey(t.Shard, k))
	}
	if old != nil && !old.Settled() {
		return nil
	}
	return tx.Bucket(openBucket).Put(openKey(t.Shard, k), nil)
}

// writeBlobs stores what changed: a blob is replaced as a whole, so another pointer means another content.
func writeBlobs(tx *bbolt.Tx, old, t *orchestrator.Task) error {
	if old == nil {
		old = &orchestrator.Task{}
	}
	k := orchestrator.Key{Tenant: t.Tenant, ID: t.ID}
	if t.Message != old.Message {
		if err := putBlob(tx, k, messageBlob, "the message", t.Message); err != nil {
			return err
		}
	}
	if err := writeStatus(tx, old, t); err != nil {
		return err
	}
	if err := writeTurns(tx, old, t); err != nil {
		return err
	}
	for i, a := range t.Artifacts {
		if i < len(old.Artifacts) && old.Artifacts[i] == a {
			continue
		}
		if err := putBlob(tx, k, artifactBlob(i), fmt.Sprintf("artifact %q", a.GetArtifactId()), a); err != nil {
			return err
		}
	}
	for i := len(t.Artifacts); i < len(old.Artifacts); i++ {
		if err := tx.Bucket(blobBucket).Delete(blobKey(k, artifactBlob(i))); err != nil {
			return err
		}
	}
	return nil
}

func writeStatus(tx *bbolt.Tx, old, t *orchestrator.Task) error {
	k := orchestrator.Key{Tenant: t.Tenant, ID: t.ID}
	switch t.StatusMessage {
	case old.StatusMessage:
		return nil
	case nil:
		return tx.Bucket(blobBucket).Delete(blobKey(k, statusBlob))
	default:
		return putBlob(tx, k, statusBlob, "the agent's status message", t.StatusMessage)
	}
}

func writeTurns(tx *bbolt.Tx, old, t *orchestrator.Task) error {
	k := orchestrator.Key{Tenant: t.Tenant, ID: t.ID}
	for i, turn := range t.Turns {
		if i < len(old.Turns) && old.Turns[i].Message == turn.Message {
			continue
		}
		if err := putBlob(tx, k, turnBlob(turn.Number), fmt.Sprintf("message %d of the task", turn.Number), turn.Message); err != nil {
			return err
		}
	}
	return nil
}

// readTurn puts the content of a turn where it belongs.
func readTurn(t *orchestrator.Task, name string, value []byte) error {
	number, err := strconv.Atoi(strings.TrimPrefix(name, turnPrefix))
	if err != nil || number < 1 || number > len(t.Turns) {
		return fmt.Errorf("the task has no turn %q", name)
	}
	m := &a2apb.Message{}
	t.Turns[number-1].Message = m
	return proto.Unmarshal(value, m)
}

func putBlob(tx *bbolt.Tx, k orchestrator.Key, name, what string, m proto.Message) error {
	b, err := proto.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode %s: %w", what, err)
	}
	if err := boltdb.CheckItem(what, len(b)); err != nil {
		return err
	}
	return tx.Bucket(blobBucket).Put(blobKey(k, name), b)
}

func decodeEvent(b []byte) (e orchestrator.Event, err error) {
	if err := json.Unmarshal(b, &e); err != nil {
		return e, fmt.Errorf("decode event: %w", err)
	}
	return e, nil
}

// scan visits the keys with a prefix in order, behind after when it is given, until visit says stop.
func scan(b *bbolt.Bucket, prefix, after []byte, visit func(key, value []byte) (bool, error)) error {
	c := b.Cursor()
	start := prefix
	if len(after) > 0 {
		start = after
	}
	key, value := c.Seek(start)
	if len(after) > 0 && bytes.Equal(key, after) {
		key, value = c.Next()
	}
	for ; key != nil && bytes.HasPrefix(key, prefix); key, value = c.Next() {
		more, err := visit(key, value)
		if err != nil || !more {
			return err
		}
	}
	return nil
}
