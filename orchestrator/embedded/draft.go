package embedded

import (
	"fmt"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

// draft is a prepared write of a task; only its places in the log are open. If possible it is made before the transaction, for which all other
// writers wait, since encoding is most of the work.
type draft struct {
	old    *record // on which it is based; nil: the task is new
	record *record // the result, except for its places
	key    []byte  // of the task

	state     []byte
	events    []byte // one batch; nil: there are none
	changed   []single
	messages  []piece
	artifacts []piece
	replaced  []uint64 // entries of the log
}

// newDraft encodes a record that replaces old, which is nil for a new task, and events to append. It sets what only a write may set: the version, and
// the number of the last event.
func newDraft(old, r *record, events []orchestrator.Event) (d *draft, err error) {
	before := old
	if old == nil {
		before = &record{}
	}
	r.Version++
	r.LastEvent = before.LastEvent + uint64(len(events))
	d = &draft{old: old, record: r, key: taskKey(r.Key())}
	if d.state, err = encodeTask(before, r); err != nil {
		return nil, err
	}
	r.state = len(d.state) + len(r.newer) + orchestrator.AttributesOverhead(r.Attributes)
	if len(events) > 0 {
		if d.events, err = encodeBatch(before, events); err != nil {
			return nil, err
		}
	}
	return d, d.encodeContent(before)
}

func (d *draft) encodeContent(old *record) (err error) {
	t := &d.record.Task
	d.record.size = old.size
	if err := encodeSingle(d, statusBucket, old.StatusMessage, t.StatusMessage, "the agent's status message"); err != nil {
		return err
	}
	if err := encodeSingle(d, aboutBucket, old.Metadata, t.Metadata, "the metadata of the agent's task"); err != nil {
		return err
	}
	d.messages, err = pieces(d, old.places.messages, messages(&old.Task), messages(t), t.MessageLimit(), nameMessage)
	if err != nil {
		return err
	}
	d.artifacts, err = pieces(d, old.places.artifacts, old.Artifacts, t.Artifacts, orchestrator.MaxTaskBytes, func(i int) string {
		return fmt.Sprintf("artifact %q", t.Artifacts[i].GetArtifactId())
	})
	return err
}

// single is content that a task has once, in a bucket of its own.
type single struct {
	bucket  []byte
	encoded []byte // replaces what is stored; nil removes it
}

// encodeSingle encodes such content if it has changed.
func encodeSingle[C content](d *draft, bucket []byte, old, now C, what string) (err error) {
	var none C
	if now == old {
		return nil
	}
	if old != none {
		d.record.size -= weigh(old, proto.Size(old))
	}
	x := single{bucket: bucket}
	if now != none {
		if x.encoded, err = encode(now, boltdb.MaxItemBytes, func() string { return what }); err != nil {
			return err
		}
		d.record.size += weigh(now, len(x.encoded))
	}
	d.changed = append(d.changed, x)
	return nil
}

// place appends to the log and returns the places.
func (d *draft) place(tx *bbolt.Tx) (p places, err error) {
	for _, n := range d.replaced {
		if err := tx.Bucket(logBucket).Delete(logKey(n)); err != nil {
			return p, err
		}
	}
	if d.old != nil {
		p.events = d.old.places.events
	}
	if d.events != nil {
		if p.events, err = appendLog(tx, d.events); err != nil {
			return p, err
		}
	}
	if p.messages, err = place(tx, d.messages); err != nil {
		return p, err
	}
	p.artifacts, err = place(tx, d.artifacts)
	return p, err
}
