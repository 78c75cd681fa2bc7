package embedded

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

func text[T any, S ~string](of func(*T) *S) field[T] {
	return field[T]{
		kind: protowire.BytesType,
		pack: func(b []byte, n protowire.Number, t *T) ([]byte, error) {
			s := *of(t)
			if s == "" {
				return b, nil
			}
			return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), string(s)), nil
		},
		unpack: func(t *T, v value) error {
			*of(t) = S(v.bytes)
			return nil
		},
	}
}

func texts[T any](of func(*T) *[]string) field[T] {
	return field[T]{
		kind: protowire.BytesType,
		pack: func(b []byte, n protowire.Number, t *T) ([]byte, error) {
			for _, s := range *of(t) {
				b = protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), s)
			}
			return b, nil
		},
		unpack: func(t *T, v value) error {
			*of(t) = append(*of(t), string(v.bytes))
			return nil
		},
	}
}

func number[T any, N ~int | ~int32 | ~uint64](of func(*T) *N) field[T] {
	return field[T]{
		kind: protowire.VarintType,
		pack: func(b []byte, n protowire.Number, t *T) ([]byte, error) {
			return appendNumber(b, n, protowire.VarintType, uint64(*of(t))), nil
		},
		unpack: func(t *T, v value) error {
			*of(t) = N(v.number)
			return nil
		},
	}
}

func flag[T any](of func(*T) *bool) field[T] {
	return field[T]{
		kind: protowire.VarintType,
		pack: func(b []byte, n protowire.Number, t *T) ([]byte, error) {
			return appendNumber(b, n, protowire.VarintType, protowire.EncodeBool(*of(t))), nil
		},
		unpack: func(t *T, v value) error {
			*of(t) = protowire.DecodeBool(v.number)
			return nil
		},
	}
}

func fraction[T any](of func(*T) *float64) field[T] {
	return field[T]{
		kind: protowire.Fixed64Type,
		pack: func(b []byte, n protowire.Number, t *T) ([]byte, error) {
			return appendNumber(b, n, protowire.Fixed64Type, math.Float64bits(*of(t))), nil
		},
		unpack: func(t *T, v value) error {
			*of(t) = math.Float64frombits(v.number)
			return nil
		},
	}
}

// instant stores a time between the years 1678 and 2262, or none.
func instant[T any](of func(*T) *time.Time) field[T] {
	return field[T]{
		kind: protowire.Fixed64Type,
		pack: func(b []byte, n protowire.Number, t *T) ([]byte, error) {
			if of(t).IsZero() {
				return b, nil
			}
			return appendNumber(b, n, protowire.Fixed64Type, uint64(of(t).UnixNano())), nil
		},
		unpack: func(t *T, v value) error {
			*of(t) = time.Unix(0, int64(v.number)).UTC() //nolint:gosec // as it was written
			return nil
		},
	}
}

func appendNumber(b []byte, n protowire.Number, kind protowire.Type, v uint64) []byte {
	if v == 0 {
		return b
	}
	b = protowire.AppendTag(b, n, kind)
	if kind == protowire.Fixed64Type {
		return protowire.AppendFixed64(b, v)
	}
	return protowire.AppendVarint(b, v)
}

func nested[T, E any](of func(*T) *E, with layout[E]) field[T] {
	return field[T]{
		kind:   protowire.BytesType,
		pack:   func(b []byte, n protowire.Number, t *T) ([]byte, error) { return nest(b, n, of(t), with) },
		unpack: func(t *T, v value) error { return with.unpack(v.bytes, of(t)) },
	}
}

func list[T, E any](of func(*T) *[]E, with layout[E]) field[T] {
	return field[T]{
		kind: protowire.BytesType,
		pack: func(b []byte, n protowire.Number, t *T) (_ []byte, err error) {
			all := *of(t)
			for i := range all {
				if b, err = nest(b, n, &all[i], with); err != nil {
					return nil, err
				}
			}
			return b, nil
		},
		unpack: func(t *T, v value) error {
			var e E
			if err := with.unpack(v.bytes, &e); err != nil {
				return err
			}
			*of(t) = append(*of(t), e)
			return nil
		},
	}
}

func nest[E any](b []byte, n protowire.Number, e *E, with layout[E]) ([]byte, error) {
	return appendSized(protowire.AppendTag(b, n, protowire.BytesType), e, with)
}

// appendSized appends the length of the encoded fields of e, and the fields.
func appendSized[E any](b []byte, e *E, with layout[E]) ([]byte, error) {
	begin := len(b)
	b, err := with.pack(b, e)
	if err != nil {
		return nil, err
	}
	var size [binary.MaxVarintLen64]byte
	return slices.Insert(b, begin, protowire.AppendVarint(size[:0], uint64(len(b)-begin))...), nil //nolint:gosec // a length
}

// jsonField stores a rarely used value as JSON, unless it is nil or empty.
func jsonField[T, E any](of func(*T) *E) field[T] {
	return field[T]{
		kind: protowire.BytesType,
		json: true,
		pack: func(b []byte, n protowire.Number, t *T) ([]byte, error) {
			e := of(t)
			if isNone(reflect.ValueOf(e).Elem()) {
				return b, nil
			}
			encoded, err := json.Marshal(e)
			if err != nil {
				return nil, fmt.Errorf("field %d: %w", n, err)
			}
			return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), encoded), nil
		},
		unpack: func(t *T, v value) error { return json.Unmarshal(v.bytes, of(t)) },
	}
}

func isNone(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer {
		return v.IsNil()
	}
	return v.Len() == 0
}
