package rpcserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
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
		if message, ok := v.(proto.Message); ok {
			return readable(m.UnmarshalOptions.Unmarshal(data, message), data)
		}
		if !json.Valid(data) {
			return errors.New("the body is not one JSON value")
		}
		return readable(m.Unmarshal(data, v), data)
	})
}

// place is where protojson says that an error is.
var place = regexp.MustCompile(`^(syntax error )?\((line \d+:\d+)\): `)

// misplaced is how it says that it met a value where another kind of value belongs.
var misplaced = regexp.MustCompile(`^syntax error \((line \d+:\d+)\): unexpected token (.+)$`)

// readable says that it is the body that is wrong, and where. It undoes the non-breaking spaces by which protojson keeps programs from
// parsing its errors. Of a body that is JSON it calls a syntax error what is a value of the wrong kind.
func readable(err error, body []byte) error {
	if err == nil {
		return nil
	}
	text := strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
	if at := misplaced.FindStringSubmatch(text); at != nil && json.Valid(body) {
		return fmt.Errorf(`the body cannot be read, %s: %s is of another kind than the field; a duration is a text such as "5s", a time one such as "2026-01-16T12:00:00Z"`, at[1], at[2])
	}
	if at := place.FindStringSubmatch(text); at != nil {
		return fmt.Errorf("the body cannot be read, %s: %s%s", at[2], at[1], strings.TrimPrefix(text, at[0]))
	}
	return fmt.Errorf("the body cannot be read: %s", text)
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
