package embedded

import (
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

// content is a message, an artifact or metadata. It is replaced as a whole, so a different pointer means different content.
type content interface {
	comparable
	proto.Message
}

// piece is one content of a task: its place in the log, or what is to be appended there.
type piece struct {
	at  uint64 // 0: encoded has to be appended
	new []byte
}

// messages returns the submitted message followed by those of the turns.
func messages(t *orchestrator.Task) []*a2apb.Message {
	list := make([]*a2apb.Message, 1, 1+len(t.Turns))
	list[0] = t.Message
	for i := range t.Turns {
		list = append(list, t.Turns[i].Message)
	}
	return list
}

// nameMessage says which message of messages it is, in errors.
func nameMessage(i int) string {
	if i == 0 {
		return "the message"
	}
	return fmt.Sprintf("message %d", i)
}

// pieces compares two versions of a list of content; was has the places of the old one. It encodes what is new, and records in d which log entries
// are replaced and how much content there is. limit is the most bytes that one may have.
func pieces[C content](d *draft, was []uint64, old, now []C, limit int, what func(i int) string) (list []piece, err error) {
	same := func(i int) bool { return i < len(was) && i < len(now) && old[i] == now[i] }
	for i, n := range was {
		if !same(i) {
			d.replaced = append(d.replaced, n)
			d.record.size -= weigh(old[i], proto.Size(old[i]))
		}
	}
	list = make([]piece, len(now))
	for i, c := range now {
		if same(i) {
			list[i].at = was[i]
			continue
		}
		if list[i].new, err = encode(c, limit, func() string { return what(i) }); err != nil {
			return nil, err
		}
		d.record.size += weigh(c, len(list[i].new))
	}
	return list, nil
}

// place appends what is new and returns the places of the whole list.
func place(tx *bbolt.Tx, list []piece) (at []uint64, err error) {
	at = make([]uint64, len(list))
	for i, p := range list {
		if at[i] = p.at; p.at > 0 {
			continue
		}
		if at[i], err = appendLog(tx, p.new); err != nil {
			return nil, err
		}
	}
	return at, nil
}

func encode(m proto.Message, limit int, what func() string) ([]byte, error) {
	b, err := proto.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", what(), err)
	}
	if len(b) > limit {
		return nil, boltdb.CheckSize(what(), len(b), limit)
	}
	return b, nil
}

// readContent adds a part of the content to a task that was read without any.
func readContent(tx *bbolt.Tx, r *record, want orchestrator.Part) error {
	if len(r.places.messages) != 1+len(r.Turns) {
		return fmt.Errorf("there are %d messages for %d turns", len(r.places.messages), len(r.Turns))
	}
	if want.Messages {
		if err := readMessages(tx, r); err != nil {
			return err
		}
	}
	if len(r.places.artifacts) > 0 {
		r.Artifacts = make([]*a2apb.Artifact, len(r.places.artifacts))
	}
	for i, n := range r.places.artifacts {
		if !want.Artifacts {
			break
		}
		r.Artifacts[i] = &a2apb.Artifact{}
		if err := r.readLog(tx, n, r.Artifacts[i]); err != nil {
			return err
		}
	}
	if b := tx.Bucket(statusBucket).Get(taskKey(r.Key())); b != nil {
		r.StatusMessage = &a2apb.Message{}
		if err := r.decode(b, r.StatusMessage); err != nil {
			return err
		}
	}
	if b := tx.Bucket(aboutBucket).Get(taskKey(r.Key())); b != nil {
		r.Metadata = &structpb.Struct{}
		return r.decode(b, r.Metadata)
	}
	return nil
}

func readMessages(tx *bbolt.Tx, r *record) error {
	for i, n := range r.places.messages {
		m := &a2apb.Message{}
		if err := r.readLog(tx, n, m); err != nil {
			return err
		}
		if i == 0 {
			r.Message = m
		} else {
			r.Turns[i-1].Message = m
		}
	}
	return nil
}

// weigh returns approximately how much memory content of an encoded size takes.
func weigh(m proto.Message, size int) int { return size + orchestrator.Overhead(m) }

func (r *record) readLog(tx *bbolt.Tx, n uint64, into proto.Message) error {
	b := tx.Bucket(logBucket).Get(logKey(n))
	if b == nil {
		return fmt.Errorf("entry %d of the log is not there", n)
	}
	return r.decode(b, into)
}

func (r *record) decode(b []byte, into proto.Message) error {
	err := proto.Unmarshal(b, into)
	r.size += weigh(into, len(b))
	return err
}
