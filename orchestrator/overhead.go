package orchestrator

import (
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
)

// About what a value takes in memory besides its text, however few bytes it has when it is encoded.
const (
	ValueBytes = 128 // of those that Values counts
	itemBytes  = 32  // an item of an attribute
)

// Overhead returns about how many bytes a message, an artifact or metadata takes in memory in addition to its encoded size. Caches have to count
// them: an empty part has four bytes when it is encoded, and thirty times as many when it is not.
func Overhead(content proto.Message) int { return ValueBytes * Values(content) }

// Values returns how many values a message, an artifact or metadata has: parts, values of data and metadata, and items of lists.
func Values(content proto.Message) int {
	switch c := content.(type) {
	case *a2apb.Message:
		return partValues(c.GetParts()) + fieldValues(c.GetMetadata()) + len(c.GetExtensions()) + len(c.GetReferenceTaskIds())
	case *a2apb.Artifact:
		return partValues(c.GetParts()) + fieldValues(c.GetMetadata()) + len(c.GetExtensions())
	case *structpb.Struct:
		return fieldValues(c)
	default:
		return 0
	}
}

func partValues(parts []*a2apb.Part) int {
	n := len(parts)
	for _, p := range parts {
		n += fieldValues(p.GetMetadata()) + innerValues(p.GetData())
	}
	return n
}

func fieldValues(s *structpb.Struct) int {
	n := len(s.GetFields())
	for _, v := range s.GetFields() {
		n += innerValues(v)
	}
	return n
}

func innerValues(v *structpb.Value) int {
	items := v.GetListValue().GetValues()
	n := len(items) + fieldValues(v.GetStructValue())
	for _, item := range items {
		n += innerValues(item)
	}
	return n
}

// AttributesOverhead is Overhead for attributes, which stores encode as JSON.
func AttributesOverhead(attributes consultation.Attributes) (n int) {
	for _, v := range attributes {
		if list, ok := v.([]any); ok {
			n += itemBytes * len(list)
		}
	}
	return n
}
