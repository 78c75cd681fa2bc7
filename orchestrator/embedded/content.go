package embedded

import (
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/boltdb"
)

// content is a message or an artifact. It is replaced as a whole, so another pointer means another content.
type content interface {
	comparable
	proto.Message
}

// writeContent stores what is new and removes what is replaced.
func writeContent(tx *bbolt.Tx, old, r *record) (err error) {
	if old == nil {
		old = &record{}
	}
	if err := writeStatus(tx, old, r); err != nil {
		return err
	}
	r.Places.Messages, err = place(tx, old.Places.Messages, messages(old), messages(r), func(i int) string { return fmt.Sprintf("message %d of the task", i) })
	if err != nil {
		return err
	}
	r.Places.Artifacts, err = place(tx, old.Places.Artifacts, old.Artifacts, r.Artifacts, func(i int) string {
		return fmt.Sprintf("artifact %q", r.Artifacts[i].GetArtifactId())
	})
	return err
}

// messages are what was submitted and, behind it, what was said after that.
func messages(r *record) []*a2apb.Message {
	list := make([]*a2apb.Message, 1, 1+len(r.Turns))
	list[0] = r.Message
	for i := range r.Turns {
		list = append(list, r.Turns[i].Message)
	}
	return list
}

// place returns where in the log the content of a list is now: was tells where that of the old list is.
func place[C content](tx *bbolt.Tx, was []uint64, old, now []C, what func(i int) string) ([]uint64, error) {
	if len(was) == len(now) && slices.Equal(old, now) {
		return was, nil
	}
	same := func(i int) bool { return i < len(was) && i < len(now) && old[i] == now[i] }
	for i, n := range was {
		if !same(i) {
			if err := tx.Bucket(logBucket).Delete(logKey(n)); err != nil {
				return nil, err
			}
		}
	}
	at := make([]uint64, len(now))
	for i, c := range now {
		if same(i) {
			at[i] = was[i]
			continue
		}
		b, err := encode(c, func() string { return what(i) })
		if err != nil {
			return nil, err
		}
		if at[i], err = appendLog(tx, b); err != nil {
			return nil, err
		}
	}
	return at, nil
}

func encode(m proto.Message, what func() string) ([]byte, error) {
	b, err := proto.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", what(), err)
	}
	if len(b) > boltdb.MaxItemBytes {
		return nil, boltdb.CheckItem(what(), len(b))
	}
	return b, nil
}

func writeStatus(tx *bbolt.Tx, old, r *record) error {
	key := taskKey(keyOf(r))
	switch r.StatusMessage {
	case old.StatusMessage:
		return nil
	case nil:
		return tx.Bucket(statusBucket).Delete(key)
	}
	b, err := encode(r.StatusMessage, func() string { return "the agent's status message" })
	if err != nil {
		return err
	}
	return tx.Bucket(statusBucket).Put(key, b)
}

// readContent fills in what a task's state leaves out.
func readContent(tx *bbolt.Tx, r *record) error {
	if len(r.Places.Messages) != 1+len(r.Turns) {
		return fmt.Errorf("there are %d messages for %d turns", len(r.Places.Messages), len(r.Turns))
	}
	for i, n := range r.Places.Messages {
		m := &a2apb.Message{}
		if err := readLog(tx, n, m); err != nil {
			return err
		}
		if i == 0 {
			r.Message = m
		} else {
			r.Turns[i-1].Message = m
		}
	}
	for _, n := range r.Places.Artifacts {
		a := &a2apb.Artifact{}
		if err := readLog(tx, n, a); err != nil {
			return err
		}
		r.Artifacts = append(r.Artifacts, a)
	}
	b := tx.Bucket(statusBucket).Get(taskKey(keyOf(r)))
	if b == nil {
		return nil
	}
	r.StatusMessage = &a2apb.Message{}
	return proto.Unmarshal(b, r.StatusMessage)
}

func readLog(tx *bbolt.Tx, n uint64, into proto.Message) error {
	b := tx.Bucket(logBucket).Get(logKey(n))
	if b == nil {
		return fmt.Errorf("entry %d of the log is not there", n)
	}
	return proto.Unmarshal(b, into)
}
