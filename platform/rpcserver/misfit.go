package rpcserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/quorate/quorate/platform/fault"
)

const (
	maxShown  = 60       // characters of a value that an error shows
	maxLooked = 64 << 10 // bytes of the largest body that is examined: that takes several times as long as decoding
)

// fit is what is wrong with a body; zero when protojson's own error says more.
type fit struct {
	path     string                         // the field
	wrong    string                         // what is wrong with its value; empty when the field is unknown
	stranger protoreflect.MessageDescriptor // the message that does not have the unknown field
}

// misfit returns what is wrong with body. It decodes each field by itself, so that protojson remains the only judge.
func misfit(m protoreflect.Message, body []byte) fit {
	if len(body) > maxLooked {
		return fit{}
	}
	values := json.NewDecoder(bytes.NewReader(body))
	if begin, err := values.Token(); err != nil || begin != json.Delim('{') {
		return fit{}
	}
	seen := met{make(map[protoreflect.FieldDescriptor]bool), make(map[protoreflect.OneofDescriptor]protoreflect.FieldDescriptor)}
	for values.More() { // in order, as protojson meets them
		var value json.RawMessage
		name, err := values.Token()
		if err != nil || values.Decode(&value) != nil {
			return fit{}
		}
		field := fieldNamed(m.Descriptor(), fmt.Sprint(name))
		if field == nil {
			return fit{path: fmt.Sprint(name), stranger: m.Descriptor()}
		}
		if wrong := seen.clash(field, value); wrong != "" {
			return fit{path: string(field.Name()), wrong: wrong}
		}
		if fits(m, field, value) {
			continue
		}
		if in := misfitIn(m, field, value); in != (fit{}) || field.IsList() { // for a list this is the most that can be said
			return in
		}
		return told(string(field.Name()), field, value)
	}
	return fit{}
}

// met are the fields of an object that came before, and those of them that a oneof has.
type met struct {
	fields map[protoreflect.FieldDescriptor]bool
	chosen map[protoreflect.OneofDescriptor]protoreflect.FieldDescriptor
}

// clash says why a field may not come after those before, or adds it to them.
func (m met) clash(field protoreflect.FieldDescriptor, value []byte) string {
	if m.fields[field] {
		return "the field occurs twice"
	}
	m.fields[field] = true
	of := field.ContainingOneof()
	if of == nil || bytes.Equal(value, []byte("null")) {
		return ""
	}
	if first := m.chosen[of]; first != nil {
		return fmt.Sprintf("there may be one of %s, and %s is there already", either(of), first.JSONName())
	}
	m.chosen[of] = field
	return ""
}

// either names the fields of a oneof.
func either(of protoreflect.OneofDescriptor) string {
	names := jsonNames(of.Fields())
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func jsonNames(fields protoreflect.FieldDescriptors) []string {
	names := make([]string, fields.Len())
	for i := range names {
		names[i] = fields.Get(i).JSONName()
	}
	return names
}

// told returns path and what is wrong with its value, or nothing when protojson's own error says more.
func told(path string, field protoreflect.FieldDescriptor, value []byte) fit {
	if wrong := wanted(field, value); wrong != "" {
		return fit{path: path, wrong: clip(value) + wrong}
	}
	return fit{}
}

// misfitIn looks for the misfit inside a value that has parts: an item of a list, or a field of a message.
func misfitIn(m protoreflect.Message, field protoreflect.FieldDescriptor, value []byte) fit {
	name := string(field.Name())
	if !field.IsList() {
		if !hasFields(field) {
			return fit{}
		}
		return misfit(m.NewField(field).Message(), value).below(name)
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return fit{path: name, wrong: clip(value) + " is not a list"}
	}
	for i, item := range items {
		if fits(m, field, slices.Concat([]byte("["), item, []byte("]"))) {
			continue
		}
		at := fmt.Sprintf("%s[%d]", name, i)
		if hasFields(field) {
			if in := misfit(m.NewField(field).List().NewElement().Message(), item); in != (fit{}) {
				return in.below(at)
			}
		}
		return told(at, field, item)
	}
	return fit{}
}

// hasFields reports whether a value of the field is a JSON object with the fields of a message. Messages of google.protobuf have forms of their own.
func hasFields(field protoreflect.FieldDescriptor) bool {
	return field.Message() != nil && !field.IsMap() && field.Message().FullName().Parent() != "google.protobuf"
}

// below returns what is wrong as seen from the message that has in its field name what f is about.
func (f fit) below(name string) fit {
	if f.path != "" {
		f.path = name + "." + f.path
	}
	return f
}

// fits reports whether protojson accepts value for the field of a message like m.
func fits(m protoreflect.Message, field protoreflect.FieldDescriptor, value []byte) bool {
	alone := slices.Concat([]byte(`{"`+field.JSONName()+`":`), value, []byte("}"))
	return protojson.UnmarshalOptions{RecursionLimit: maxJSONDepth}.Unmarshal(alone, m.New().Interface()) == nil
}

// seconds matches a duration in JSON.
var seconds = regexp.MustCompile(`^"[+-]?[0-9]+(\.[0-9]{0,9})?s"$`)

// wanted says in which way value is not what a field, or an item of a list field, takes. It is empty for objects.
func wanted(field protoreflect.FieldDescriptor, value []byte) string {
	switch field.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return wantedMessage(field, value)
	case protoreflect.StringKind:
		return " is not a string"
	case protoreflect.BoolKind:
		return " is neither true nor false"
	case protoreflect.BytesKind:
		return " is not a base64 string"
	case protoreflect.EnumKind:
		return " is not one of " + strings.Join(enumNames(field.Enum().Values()), ", ")
	default:
		return " is not a valid number for this field"
	}
}

// wantedMessage is wanted for a field that takes a message or a map. It is empty for messages of google.protobuf that take many forms, too.
func wantedMessage(field protoreflect.FieldDescriptor, value []byte) string {
	switch name := field.Message().FullName(); {
	case name == "google.protobuf.Duration" && seconds.Match(value):
		return " is out of range for a duration"
	case name == "google.protobuf.Duration":
		return ` is not a duration; write seconds and an s, such as "5s" or "0.5s"`
	case name == "google.protobuf.Timestamp":
		return ` is not a time; write date, time and zone, such as "2026-01-16T12:00:00Z"`
	case !bytes.HasPrefix(bytes.TrimSpace(value), []byte("{")) && (hasFields(field) || field.IsMap() || name == "google.protobuf.Struct"):
		return " is not an object"
	default:
		return ""
	}
}

// enumNames returns the names that may be given for an enum. The one for "not given" is left out.
func enumNames(values protoreflect.EnumValueDescriptors) (names []string) {
	for i := range values.Len() {
		if value := values.Get(i); value.Number() != 0 {
			names = append(names, string(value.Name()))
		}
	}
	return names
}

// clip returns the beginning of a value on one line.
func clip(value []byte) string {
	var line bytes.Buffer
	if json.Compact(&line, value) == nil {
		value = line.Bytes()
	}
	return fault.ClipTo(string(value), maxShown)
}
