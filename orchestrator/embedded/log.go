package embedded

import (
	"encoding/binary"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

// appendLog appends an entry and returns its number, from 1.
func appendLog(tx *bbolt.Tx, value []byte) (uint64, error) {
	b := bucket(tx, logBucket)
	n, err := b.NextSequence()
	if err != nil {
		return 0, err
	}
	return n, b.Put(logKey(n), value)
}

func logKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// batch holds the events of one write.
type batch struct {
	previous uint64 // log entry with the previous batch of the task; 0 is none
	first    uint64 // number of the first event
	events   []byte // each preceded by its length and without its number, so that events before the wanted ones need not be decoded
}

const (
	batchHeader = 16  // bytes: the two numbers
	eventSize   = 160 // few are larger
)

func readBatch(tx *bbolt.Tx, at uint64) (batch, error) {
	b := tx.Bucket(logBucket).Get(logKey(at))
	if len(b) < batchHeader {
		return batch{}, fmt.Errorf("entry %d of the log has no events", at)
	}
	return batch{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:]), b[batchHeader:]}, nil
}

// encodeBatch encodes the events that a write adds; old is the task before.
func encodeBatch(old *record, events []orchestrator.Event) (b []byte, err error) {
	b = make([]byte, 0, batchHeader+len(events)*eventSize)
	b = binary.BigEndian.AppendUint64(b, old.places.events)
	b = binary.BigEndian.AppendUint64(b, old.LastEvent+1)
	for i := range events {
		begin := len(b)
		if b, err = appendSized(b, &events[i], eventLayout); err != nil {
			return nil, fmt.Errorf("encode events: %w", err)
		}
		if err := boltdb.CheckItem("an event of the task", len(b)-begin); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// readEvents returns up to limit events after after, from the task's last batch and those before it.
func readEvents(tx *bbolt.Tx, last, after uint64, limit int) (events []orchestrator.Event, err error) {
	var batches []batch
	for at := last; at > 0; {
		b, err := readBatch(tx, at)
		if err != nil {
			return nil, err
		}
		batches = append(batches, b)
		if at = b.previous; b.first <= after+1 {
			break
		}
	}
	for _, b := range slices.Backward(batches) {
		if events, err = b.decode(events, after, limit); err != nil || len(events) == limit {
			return events, err
		}
	}
	return events, nil
}

// decode appends the batch's events after after to list, until list has limit events.
func (b *batch) decode(list []orchestrator.Event, after uint64, limit int) ([]orchestrator.Event, error) {
	n := b.first
	for rest := b.events; len(rest) > 0 && len(list) < limit; n++ {
		packed, size := protowire.ConsumeBytes(rest)
		if size < 0 {
			return nil, fmt.Errorf("decode event %d: %w", n, errPacked)
		}
		if rest = rest[size:]; n <= after {
			continue
		}
		e := orchestrator.Event{Sequence: n}
		if err := eventLayout.unpack(packed, &e); err != nil {
			return nil, fmt.Errorf("decode event %d: %w", n, err)
		}
		list = append(list, e)
	}
	return list, nil
}
