package apijson

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// pageToken is the field with which a list says whether there is more.
const pageToken = "next_page_token"

// WithLists returns the JSON object of an answer m with those of its lists, and the page token, that protojson leaves out because they are empty, so
// that programs can read them without asking whether they are there. Messages within the answer stay as they are.
func WithLists(object []byte, m protoreflect.Message) []byte {
	if !bytes.HasPrefix(object, []byte("{")) { // a well-known type with a form of its own
		return object
	}
	var missing []byte
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		switch field := fields.Get(i); {
		case m.Has(field):
		case field.IsList():
			missing = append(missing, `,"`+field.JSONName()+`":[]`...)
		case field.Name() == pageToken:
			missing = append(missing, `,"`+field.JSONName()+`":""`...)
		}
	}
	if len(object) == len("{}") {
		missing = bytes.TrimPrefix(missing, []byte(","))
	}
	return slices.Concat(object[:len(object)-1], missing, []byte("}"))
}
