package embedded

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// layout says how a T is stored: the index of a field is its number in the wire format of protobuf. Fields without a value are omitted. Unknown
// fields are returned, so that an older version can preserve fields that a newer one has added. A number always stays with its field.
type layout[T any] []field[T]

// field says how one field of a T is stored.
type field[T any] struct {
	kind   protowire.Type
	pack   func(b []byte, n protowire.Number, t *T) ([]byte, error)
	unpack func(t *T, v value) error
}

// value is the stored value of a field: a number, or bytes that are valid as long as their source.
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

// unpack sets the fields of t that are in b, and returns a copy of the unknown ones.
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
