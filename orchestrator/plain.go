package orchestrator

import (
	"math"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// MaxNesting is how deep lists and objects may be nested in data and metadata. JSON allows ten thousand levels; in protobuf's wire format, which stores
// and callers read, these become three times as many, more than any decoder accepts.
const MaxNesting = 1000

// PlainMessage reports whether the data and metadata of a message are plain: values that JSON has, nested at most MaxNesting deep. Others could be stored,
// and not be read again or sent.
func PlainMessage(m *a2apb.Message) bool {
	return PlainParts(m.GetParts()) && PlainMetadata(m.GetMetadata())
}

// PlainArtifact reports whether the data and metadata of an artifact are plain, as PlainMessage does.
func PlainArtifact(a *a2apb.Artifact) bool {
	return PlainParts(a.GetParts()) && PlainMetadata(a.GetMetadata())
}

// PlainParts reports whether the data and metadata of parts are plain, as PlainMessage does.
func PlainParts(parts []*a2apb.Part) bool {
	for _, p := range parts {
		if !PlainMetadata(p.GetMetadata()) || !plainValue(p.GetData(), MaxNesting) {
			return false
		}
	}
	return true
}

// PlainMetadata reports whether metadata is plain, as PlainMessage does.
func PlainMetadata(s *structpb.Struct) bool { return plainStruct(s, MaxNesting) }

func plainStruct(s *structpb.Struct, left int) bool {
	for _, v := range s.GetFields() {
		if !plainValue(v, left-1) {
			return false
		}
	}
	return left >= 0 && !smuggles(s)
}

// plainValue returns false also for values that only protobuf's wire format can express: no value at all, NaN, infinities and unknown fields.
func plainValue(v *structpb.Value, left int) bool {
	if v != nil && v.GetKind() == nil || math.IsNaN(v.GetNumberValue()) || math.IsInf(v.GetNumberValue(), 0) || v.GetNullValue() != structpb.NullValue_NULL_VALUE {
		return false
	}
	if smuggles(v) || smuggles(v.GetListValue()) {
		return false
	}
	for _, item := range v.GetListValue().GetValues() {
		if !plainValue(item, left-1) {
			return false
		}
	}
	return plainStruct(v.GetStructValue(), left)
}

// smuggles reports whether a value, a list or an object has fields that these do not have. Reviewers approve JSON, which leaves them out; over gRPC they
// would go on to callers.
func smuggles(value proto.Message) bool { return len(value.ProtoReflect().GetUnknown()) > 0 }
