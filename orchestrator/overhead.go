package orchestrator

import (
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
)

// About what a value takes in memory besides its text, however few bytes it has when it is encoded.
const (
	valueBytes = 128 // a part, or a value of data or metadata
	wordBytes  = 16  // an item of a list of texts
	itemBytes  = 32  // an item of an attribute
)

// Overhead returns about how many bytes a message or an artifact takes in memory in addition to its encoded size. Caches have to count them: an empty part
// has four bytes when it is encoded, and thirty times as many when it is not.
func Overhead(content proto.Message) int {
	switch c := content.(type) {
	case *a2apb.Message:
		return partsOverhead(c.GetParts()) + structOverhead(c.GetMetadata()) + wordBytes*(len(c.GetExtensions())+len(c.GetReferenceTaskIds()))
	case *a2apb.Artifact:
		return partsOverhead(c.GetParts()) + structOverhead(c.GetMetadata()) + wordBytes*len(c.GetExtensions())
	default:
		return 0
	}
}

func partsOverhead(parts []*a2apb.Part) int {
	n := valueBytes * len(parts)
	for _, p := range parts {
		n += structOverhead(p.GetMetadata()) + valueOverhead(p.GetData())
	}
	return n
}

func structOverhead(s *structpb.Struct) (n int) {
	for _, v := range s.GetFields() {
		n += valueBytes + valueOverhead(v)
	}
	return n
}

func valueOverhead(v *structpb.Value) int {
	n := structOverhead(v.GetStructValue())
	for _, item := range v.GetListValue().GetValues() {
		n += valueBytes + valueOverhead(item)
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
