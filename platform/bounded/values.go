package bounded

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// MaxValues is how many values a request may have: fields and items of lists, whatever is in them. Each takes some hundred bytes of memory, and as few
// as two where it comes from.
const MaxValues = 1 << 18

// deepest is how many messages may be in one another. JSON of so many levels as anybody takes has a third of that.
const deepest = 1000

var (
	errValues = fmt.Errorf("it has more than %d values, fields and items of lists together; send fewer at once", MaxValues)
	errNested = fmt.Errorf("its messages are more than %d deep in one another", deepest)
	errWire   = errors.New("it ends early, or is something else than was announced")
)

// few tells that so many bytes cannot hold too many values, which most requests show without a look at them.
func few(body []byte) bool { return len(body) <= 2*MaxValues }

// JSON returns why body, which is JSON, or else for its decoder to refuse, has too many values to be decoded.
func JSON(body []byte) error {
	if few(body) {
		return nil
	}
	values, quoted := 0, false
	for i := 0; i < len(body) && values <= MaxValues; i++ {
		switch c := body[i]; {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[' || c == ',':
			values++
		}
	}
	if values > MaxValues {
		return errValues
	}
	return nil
}

// Message returns why body, the wire form of a message of the given kind, has too many values to be decoded.
func Message(body []byte, kind protoreflect.MessageDescriptor) error {
	if few(body) {
		return nil
	}
	values := 0
	return count(body, kind, &values, 0)
}

// count adds the values of a message that have memory of their own: numbers are in that of their message or list.
func count(body []byte, kind protoreflect.MessageDescriptor, values *int, depth int) error {
	if depth > deepest {
		return errNested
	}
	for len(body) > 0 {
		number, form, size := protowire.ConsumeTag(body)
		if size < 0 {
			return errWire
		}
		body = body[size:]
		if size = protowire.ConsumeFieldValue(number, form, body); size < 0 {
			return errWire
		}
		value := body[:size]
		body = body[size:]
		field := kind.Fields().ByNumber(number)
		if field == nil || form != protowire.BytesType {
			continue
		}
		if *values++; *values > MaxValues {
			return errValues
		}
		if field.Message() == nil {
			continue
		}
		inner, _ := protowire.ConsumeBytes(value)
		if err := count(inner, field.Message(), values, depth+1); err != nil {
			return err
		}
	}
	return nil
}
