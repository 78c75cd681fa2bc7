package bounded

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// MaxValues is the largest number of values in a request: fields and items of lists, whatever they contain. A decoded value takes some hundred bytes of
// memory, but may take as few as two in the request.
const MaxValues = 1 << 18

// deepest is the deepest nesting of messages. The deepest JSON that decoders accept has a third of it.
const deepest = 1000

var (
	errValues = fmt.Errorf("it has more than %d values, counting fields and items of lists; send fewer at once", MaxValues)
	errNested = fmt.Errorf("its messages are nested more than %d deep", deepest)
	errWire   = errors.New("it ends early, or is not in the announced format")
)

// few reports whether body is too short to hold too many values, as most requests are.
func few(body []byte) bool { return len(body) <= 2*MaxValues }

// JSON returns an error if body, as JSON, has too many values to be decoded. It does not check that body is valid JSON: that is for the decoder.
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

// Message returns an error if body, the wire format of a message of the given kind, has too many values to be decoded, is nested too deeply, or ends early.
func Message(body []byte, kind protoreflect.MessageDescriptor) error {
	if few(body) {
		return nil
	}
	values := 0
	return count(body, kind, &values, 0)
}

// count adds the number of values in a message that take memory of their own: numbers are stored inside their message or list.
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
