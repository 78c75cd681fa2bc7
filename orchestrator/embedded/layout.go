package embedded

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// layout says how a T is stored: the index of a field is its number in the wire format of protobuf. Fields without a value are omitted. A number
// always stays with its field. Unknown fields are skipped; keepNewer preserves them.
type layout[T any] []field[T]

// field says how one field of a T is stored.
type field[T any] struct {
	kind   protowire.Type
	json   bool // what is packed is JSON
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

// unpack sets the fields of t that are in b.
func (l layout[T]) unpack(b []byte, t *T) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return errPacked
		}
		v, rest, err := readValue(kind, b[size:])
		if err != nil {
			return err
		}
		b = rest
		if !l.has(n) {
			continue
		}
		if l[n].kind != kind {
			return errPacked
		}
		if err := l[n].unpack(t, v); err != nil {
			return err
		}
	}
	return nil
}

// has reports whether this version knows a field.
func (l layout[T]) has(n protowire.Number) bool { return int(n) < len(l) && l[n].unpack != nil }

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
