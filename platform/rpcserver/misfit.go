package rpcserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	maxShown  = 60       // bytes of a value that an error shows
	maxLooked = 64 << 10 // bytes of the largest body that is examined: that takes several times as long as decoding, and happens before the caller is authenticated
)

// misfit returns the path of the field whose value in body has the wrong type or form, and what is wrong with it; path is empty when no field is at
// fault. It decodes each field by itself, so that protojson remains the only judge.
func misfit(m protoreflect.Message, body []byte) (path, wrong string) {
	if len(body) > maxLooked {
		return "", ""
	}
	values := json.NewDecoder(bytes.NewReader(body))
	if begin, err := values.Token(); err != nil || begin != json.Delim('{') {
		return "", ""
	}
	for values.More() { // in order, as protojson meets them
		var value json.RawMessage
		name, err := values.Token()
		if err != nil || values.Decode(&value) != nil {
			return "", ""
		}
		field := fieldNamed(m.Descriptor(), fmt.Sprint(name))
		switch {
		case field == nil:
			return "", "" // protojson's error is about this unknown field
		case fits(m, field, value):
			continue
		}
		if path, wrong = misfitIn(m, field, value); path != "" || field.IsList() { // for a list this is the most that can be said
			return path, wrong
		}
		return told(string(field.Name()), field, value)
	}
	return "", ""
}

// told returns path and what is wrong with its value, or nothing when protojson's own error says more.
func told(path string, field protoreflect.FieldDescriptor, value []byte) (_, wrong string) {
	if wrong = wanted(field, value); wrong == "" {
		return "", ""
	}
	return path, clip(value) + wrong
}

// misfitIn looks for the misfit inside a value that has parts: an item of a list, or a field of a message.
func misfitIn(m protoreflect.Message, field protoreflect.FieldDescriptor, value []byte) (path, wrong string) {
	name := string(field.Name())
	if !field.IsList() {
		if !hasFields(field) {
			return "", ""
		}
		path, wrong = misfit(m.NewField(field).Message(), value)
		return below(name, path), wrong
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return name, clip(value) + " is not a list"
	}
	for i, item := range items {
		if fits(m, field, slices.Concat([]byte("["), item, []byte("]"))) {
			continue
		}
		at := fmt.Sprintf("%s[%d]", name, i)
		if hasFields(field) {
			if path, wrong = misfit(m.NewField(field).List().NewElement().Message(), item); path != "" {
				return below(at, path), wrong
			}
		}
		return told(at, field, item)
	}
	return "", ""
}

// hasFields reports whether a value of the field is a JSON object with the fields of a message. Messages of google.protobuf have forms of their own.
func hasFields(field protoreflect.FieldDescriptor) bool {
	return field.Message() != nil && !field.IsMap() && field.Message().FullName().Parent() != "google.protobuf"
}

func below(name, path string) string {
	if path == "" {
		return ""
	}
	return name + "." + path
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
	if of := field.Message(); of != nil {
		switch {
		case of.FullName() == "google.protobuf.Duration" && seconds.Match(value):
			return " is out of range for a duration"
		case of.FullName() == "google.protobuf.Duration":
			return ` is not a duration; write seconds and an s, such as "5s" or "0.5s"`
		case of.FullName() == "google.protobuf.Timestamp":
			return ` is not a time; write date, time and zone, such as "2026-01-16T12:00:00Z"`
		case !hasFields(field) && !field.IsMap() && of.FullName() != "google.protobuf.Struct":
			return "" // other google.protobuf messages take many forms
		case !bytes.HasPrefix(bytes.TrimSpace(value), []byte("{")):
			return " is not an object"
		default:
			return ""
		}
	}
	switch field.Kind() {
	case protoreflect.StringKind:
		return " is not a string"
	case protoreflect.BoolKind:
		return " is neither true nor false"
	case protoreflect.BytesKind:
		return " is not a base64 string"
	case protoreflect.EnumKind:
		return " is not one of the field's values"
	default:
		return " is not a valid number for this field"
	}
}

// clip returns the beginning of a value on one line.
func clip(value []byte) string {
	var line bytes.Buffer
	if json.Compact(&line, value) == nil {
		value = line.Bytes()
	}
	if len(value) <= maxShown {
		return string(value)
	}
	return string(bytes.ToValidUTF8(value[:maxShown], nil)) + "…"
}
