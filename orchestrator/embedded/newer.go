package embedded

import (
	"bytes"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/quorate/quorate/platform/newer"
)

// noteNewer keeps the encoded state of a task if a newer version has put something into it. Then it is not what this version makes of it.
func noteNewer(r *record, encoded []byte) error {
	again, err := taskLayout.pack(make([]byte, 0, usualState), &r.Task)
	if err == nil && !bytes.Equal(again, encoded) {
		r.newer = bytes.Clone(encoded)
		r.state += len(encoded)
	}
	return err
}

// keepNewer returns a task's encoded state, which replaces old, with what a newer version has put into old.
func keepNewer(next []byte, old *record) ([]byte, error) {
	again, err := taskLayout.pack(nil, &old.Task)
	if err != nil {
		return nil, err
	}
	fields, before, stored := split(next), split(again), split(old.newer)
	for n, list := range stored {
		switch {
		case !taskLayout.has(n):
			fields[n] = list
		case taskLayout[n].json && len(fields[n]) == 1 && len(before[n]) == 1 && len(list) == 1:
			fields[n][0] = keepJSON(n, fields[n][0], before[n][0], list[0])
		default:
			newer.List(fields[n], before[n], list, bytes.Equal)
		}
	}
	b := make([]byte, 0, len(next))
	for _, n := range slices.Sorted(maps.Keys(fields)) {
		b = append(b, slices.Concat(fields[n]...)...)
	}
	return b, nil
}

func keepJSON(n protowire.Number, next, again, old []byte) []byte {
	value := func(field []byte) []byte {
		_, _, tag := protowire.ConsumeTag(field)
		v, _ := protowire.ConsumeBytes(field[tag:])
		return v
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), newer.Value(value(next), value(again), value(old)))
}

// split returns the encoded fields of b, which can be read, by their numbers.
func split(b []byte) map[protowire.Number][][]byte {
	fields := make(map[protowire.Number][][]byte)
	for len(b) > 0 {
		n, _, size := protowire.ConsumeField(b)
		fields[n] = append(fields[n], b[:size:size])
		b = b[size:]
	}
	return fields
}
