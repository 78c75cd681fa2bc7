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

	"github.com/quorate/quorate/platform/apijson"
	"github.com/quorate/quorate/platform/bounded"
)

const (
	eventMIME    = "text/event-stream"
	maxJSONDepth = 256 // a JSON Schema may have 200 levels, and stands in a request
)

// messageMarshaler is the gateway's JSON marshaler made strict: a body is exactly one value without unknown fields.
type messageMarshaler struct{ *runtime.JSONPb }

func newMessageMarshaler() *messageMarshaler {
	return &messageMarshaler{&runtime.JSONPb{UnmarshalOptions: protojson.UnmarshalOptions{RecursionLimit: maxJSONDepth}}}
}

// ContentType returns application/json, or the type that an HttpBody names, as that of an agent's card does.
func (m *messageMarshaler) ContentType(v any) string {
	if body, ok := v.(*httpbody.HttpBody); ok {
		return body.GetContentType()
	}
	return m.JSONPb.ContentType(v)
}

// Marshal returns v as JSON, an answer with its empty lists, or the bytes of an HttpBody unchanged.
func (m *messageMarshaler) Marshal(v any) ([]byte, error) {
	if body, ok := v.(*httpbody.HttpBody); ok {
		return body.GetData(), nil
	}
	encoded, err := m.JSONPb.Marshal(v)
	if message, ok := v.(proto.Message); ok && err == nil {
		return apijson.WithLists(encoded, message.ProtoReflect()), nil
	}
	return encoded, err
}

// NewDecoder returns a decoder that reads all of r; the gateway's own ignores what follows the first value.
func (m *messageMarshaler) NewDecoder(r io.Reader) runtime.Decoder {
	return runtime.DecoderFunc(func(v any) error {
		data, err := io.ReadAll(r) // bounded by limitedBody
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(data)) == 0 {
			return io.EOF // the gateway takes it for an empty message
		}
		if !utf8.Valid(data) { // protojson would put the bytes into its error, and an answer cannot carry them
			return errors.New("the body is not UTF-8")
		}
		if bytes.HasPrefix(data, []byte("\ufeff")) { // some editors and shells write it, and nobody sees it in an error
			return errors.New("the body begins with a byte order mark: leave it out")
		}
		if err := bounded.JSON(data); err != nil {
			return fmt.Errorf("the body cannot be read: %w", err)
		}
		if message, ok := v.(proto.Message); ok {
			if err := m.UnmarshalOptions.Unmarshal(data, message); err != nil {
				return readable(err, message.ProtoReflect(), data)
			}
			if body, ok := r.(*limitedBody); ok {
				return body.agree(message.ProtoReflect())
			}
			return nil
		}
		if !json.Valid(data) {
			return errors.New("the body is not one JSON value")
		}
		return readable(m.Unmarshal(data, v), messageAt(v), data)
	})
}

// messageAt returns a new message of the type that the gateway decodes into *v when the body is one field of the request. It is nil when that field
// is no message.
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

// place matches the position at the beginning of an error of protojson.
var place = regexp.MustCompile(`^(syntax error )?\((line \d+:\d+)\): `)

// maxComplaint bounds the text of an error of protojson, in bytes: it repeats field names of any length.
const maxComplaint = 1 << 10

// readable rewords an error of protojson: it says that the body is at fault, at which line and column, and, where message is known, which field has a
// wrong value, and which fields there are instead of an unknown one.
func readable(err error, message protoreflect.Message, body []byte) error {
	if err == nil {
		return nil
	}
	text := bounded.Text(apijson.ProblemIn(body, err), maxComplaint)
	if text == "exceeded max recursion depth" {
		return fmt.Errorf("the body has lists and objects more than %d deep in one another", maxJSONDepth)
	}
	at := place.FindStringSubmatch(text)
	if at == nil {
		return fmt.Errorf("the body cannot be read: %s", text)
	}
	text = at[1] + strings.TrimPrefix(text, at[0])
	if message != nil && json.Valid(body) {
		switch in := misfit(message, body); {
		case in.wrong != "":
			text = in.path + ": " + in.wrong
		case in.stranger != nil && strings.HasPrefix(text, "unknown field "):
			text = fmt.Sprintf("%s: %s; %s has %s", in.path, text, in.stranger.Name(), strings.Join(jsonNames(in.stranger.Fields()), ", "))
		}
	}
	return fmt.Errorf("the body cannot be read, %s: %s", at[2], text)
}

// eventMarshaler writes each message of a stream as one server-sent event. Answers that are no stream stay JSON.
type eventMarshaler struct{ *messageMarshaler }

// Marshal receives the gateway's chunks of a stream, {"result": message} and {"error": status}.
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

// StreamContentType returns the content type of a stream; other answers are JSON.
func (*eventMarshaler) StreamContentType(any) string { return eventMIME }

// Delimiter is empty because an event has to be written in one piece: a heartbeat may come between two writes.
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

// eventID returns the number in the field sequence, from which a client can resume; it is empty when the message has no such field.
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
