package embedded

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// layout says how a T is kept: the index of a field is its number in the wire format of protobuf. Fields without a value are left out and unknown ones are
// handed back, so that fields may be added, and stay where a version that does not know them writes. A number stays with its field for ever.
type layout[T any] []field[T]

// field is how one field of a T is kept.
type field[T any] struct {
	kind   protowire.Type
	pack   func(b []byte, n protowire.Number, t *T) ([]byte, error)
	unpack func(t *T, v value) error
}

// value is what is kept of a field: a number, or bytes that are valid as long as what they are read from.
type value struct {
	number uint64
	bytes  []byte
}

var errPacked = errors.New("its fields cannot be read")

// pack appends the fields of t to b.
func (l layout[T]) pack(b []byte, t *T) (_ []byte, err error) {
	for n, field := range l {
		if field.pack == nil {
			continue
		}
		if b, err = field.pack(b, protowire.Number(n), t); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// unpack sets the fields of t that are in b, and returns a copy of those that it does not know.
func (l layout[T]) unpack(b []byte, t *T) (unknown []byte, err error) {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return nil, errPacked
		}
		v, rest, err := readValue(kind, b[size:])
		if err != nil {
			return nil, err
		}
		field := b[:len(b)-len(rest)]
		b = rest
		if int(n) >= len(l) || l[n].unpack == nil {
			unknown = append(unknown, field...)
			continue
		}
		if l[n].kind != kind {
			return nil, errPacked
		}
		if err := l[n].unpack(t, v); err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

func readValue(kind protowire.Type, b []byte) (v value, rest []byte, err error) {
	size := -1
	switch kind {
	case protowire.VarintType:
		v.number, size = protowire.ConsumeVarint(b)
	case protowire.Fixed64Type:
		v.number, size = protowire.ConsumeFixed64(b)
	case protowire.BytesType:
		v.bytes, size = protowire.ConsumeBytes(b)
	default: // nothing else is written
	}
	if size < 0 {
		return v, nil, errPacked
	}
	return v, b[size:], nil
}
