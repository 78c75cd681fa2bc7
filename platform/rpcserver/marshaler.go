package rpcserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/quorate/quorate/platform/bounded"
)

const (
	eventMIME    = "text/event-stream"
	maxJSONDepth = 100
)

// messageMarshaler is the gateway's JSON, but strict: a body is exactly one value without unknown fields.
type messageMarshaler struct{ *runtime.JSONPb }

func newMessageMarshaler() *messageMarshaler {
	return &messageMarshaler{&runtime.JSONPb{UnmarshalOptions: protojson.UnmarshalOptions{RecursionLimit: maxJSONDepth}}}
}

// ContentType returns what the message itself says when it is a body of its own, such as an agent's card.
func (m *messageMarshaler) ContentType(v any) string {
	if body, ok := v.(*httpbody.HttpBody); ok {
		return body.GetContentType()
	}
	return m.JSONPb.ContentType(v)
}

// Marshal returns JSON, or the bytes of a body of its own as they are.
func (m *messageMarshaler) Marshal(v any) ([]byte, error) {
	if body, ok := v.(*httpbody.HttpBody); ok {
		return body.GetData(), nil
	}
	return m.JSONPb.Marshal(v)
}

// NewDecoder returns a decoder of all of r; the gateway's own ignores what follows the first value.
func (m *messageMarshaler) NewDecoder(r io.Reader) runtime.Decoder {
	return runtime.DecoderFunc(func(v any) error {
		data, err := io.ReadAll(r) // bounded by limitedBody
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(data)) == 0 {
			return io.EOF // the gateway takes it for an empty message
		}
		if !utf8.Valid(data) { // protojson would quote it, and no answer can
			return errors.New("the body is not UTF-8")
		}
		if err := bounded.JSON(data); err != nil {
			return fmt.Errorf("the body cannot be read: %w", err)
		}
		if message, ok := v.(proto.Message); ok {
			return readable(m.UnmarshalOptions.Unmarshal(data, message), message.ProtoReflect(), data)
		}
		if !json.Valid(data) {
			return errors.New("the body is not one JSON value")
		}
		return readable(m.Unmarshal(data, v), messageAt(v), data)
	})
}

// messageAt returns a new message of the kind that the gateway decodes into *v, where the body is one field of the request; nil when that is no message.
func messageAt(v any) protoreflect.Message {
	at := reflect.TypeOf(v)
	if at.Kind() != reflect.Pointer || at.Elem().Kind() != reflect.Pointer {
		return nil
	}
	message, ok := reflect.TypeAssert[proto.Message](reflect.New(at.Elem().Elem()))
	if !ok {
		return nil
	}
	return message.ProtoReflect()
}

// place is where protojson says that an error is.
var place = regexp.MustCompile(`^(syntax error )?\((line \d+:\d+)\): `)

// maxComplaint is how many bytes protojson may say: it repeats names of fields, however long they are.
const maxComplaint = 1 << 10

// readable says that it is the body that is wrong, where, and which field of the message, if it is one, does not get what it takes. It undoes the
// non-breaking spaces by which protojson keeps programs from parsing its errors.
func readable(err error, message protoreflect.Message, body []byte) error {
	if err == nil {
		return nil
	}
	text := bounded.Text(strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: "), maxComplaint)
	at := place.FindStringSubmatch(text)
	if at == nil {
		return fmt.Errorf("the body cannot be read: %s", text)
	}
	if message != nil && json.Valid(body) {
		if path, wrong := misfit(message, body); path != "" {
			return fmt.Errorf("the body cannot be read, %s: %s: %s", at[2], path, wrong)
		}
	}
	return fmt.Errorf("the body cannot be read, %s: %s%s", at[2], at[1], strings.TrimPrefix(text, at[0]))
}

// eventMarshaler writes each message of a stream as one server-sent event. Whatever is no part of a stream stays JSON.
type eventMarshaler struct{ *messageMarshaler }

// Marshal receives the chunks of the gateway: {"result": message} and {"error": status}.
func (m *eventMarshaler) Marshal(v any) ([]byte, error) {
	switch chunk := v.(type) {
	case map[string]any:
		data, err := m.messageMarshaler.Marshal(chunk["result"])
		if err != nil {
			return nil, err
		}
		return formatEvent("", eventID(chunk["result"]), data), nil
	case map[string]proto.Message:
		data, err := m.messageMarshaler.Marshal(chunk["error"])
		if err != nil {
			return nil, err
		}
		return formatEvent("error", "", data), nil
	default:
		return m.messageMarshaler.Marshal(v)
	}
}

// StreamContentType returns the type of a stream; that of any other answer is JSON.
func (*eventMarshaler) StreamContentType(any) string { return eventMIME }

// Delimiter is empty, because an event must be written in one piece: a heartbeat may come between two writes.
func (*eventMarshaler) Delimiter() []byte { return nil }

func formatEvent(name, id string, data []byte) []byte {
	var b bytes.Buffer
	if name != "" {
		fmt.Fprintf(&b, "event: %s\n", name)
	}
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	fmt.Fprintf(&b, "data: %s\n\n", data)
	return b.Bytes()
}

// eventID returns the number in the field sequence, from which a client can resume, or nothing.
func eventID(v any) string {
	message, ok := v.(proto.Message)
	if !ok {
		return ""
	}
	m := message.ProtoReflect()
	field := m.Descriptor().Fields().ByName("sequence")
	if field == nil || field.IsList() {
		return ""
	}
	switch field.Kind() {
	case protoreflect.Int64Kind:
		return strconv.FormatInt(m.Get(field).Int(), 10)
	case protoreflect.Uint64Kind:
		return strconv.FormatUint(m.Get(field).Uint(), 10)
	default:
		return ""
	}
}
