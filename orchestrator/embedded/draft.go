package embedded

import (
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
)

// draft is a prepared write of a task; only its places in the log are open. If possible it is made before the transaction, for which all other
// writers wait, since encoding is most of the work.
type draft struct {
	old    *record // on which it is based; nil: the task is new
	record *record // the result, except for its places
	key    []byte  // of the task

	state     []byte
	events    []byte // one batch; nil: there are none
	status    []byte
	newStatus bool // status replaces the stored one; nil removes it
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
	d = &draft{old: old, record: r, key: taskKey(keyOf(r))}
	if d.state, err = encodeTask(r); err != nil {
		return nil, err
	}
	r.state = len(d.state) + orchestrator.AttributesOverhead(r.Attributes)
	if len(events) > 0 {
		if d.events, err = encodeBatch(before, events); err != nil {
			return nil, err
		}
	}
	return d, d.encodeContent(before)
}

// encodeContent encodes the new content.
func (d *draft) encodeContent(old *record) (err error) {
	t := &d.record.Task
	d.record.size = old.size
	if d.newStatus = t.StatusMessage != old.StatusMessage; d.newStatus {
		if err := d.encodeStatus(old.StatusMessage); err != nil {
			return err
		}
	}
	d.messages, err = pieces(d, old.places.messages, messages(&old.Task), messages(t), func(i int) string { return fmt.Sprintf("message %d of the task", i) })
	if err != nil {
		return err
	}
	d.artifacts, err = pieces(d, old.places.artifacts, old.Artifacts, t.Artifacts, func(i int) string {
		return fmt.Sprintf("artifact %q", t.Artifacts[i].GetArtifactId())
	})
	return err
}

// encodeStatus encodes the agent's last message, if any, which replaces the old one.
func (d *draft) encodeStatus(old *a2apb.Message) (err error) {
	if old != nil {
		d.record.size -= weigh(old, proto.Size(old))
	}
	if d.record.StatusMessage == nil {
		return nil
	}
	d.status, err = encode(d.record.StatusMessage, func() string { return "the agent's status message" })
	d.record.size += weigh(d.record.StatusMessage, len(d.status))
	return err
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
