package engine

import (
	"math"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// maxNesting is how deep lists and objects may be nested in what an agent says. JSON allows ten thousand levels; in protobuf's wire format, which
// stores and callers read, these become three times as many, more than any decoder accepts.
const maxNesting = 1000

// invalidValue is the fault for what a caller gives as whose data, if that is not shallow: it could be stored, and not sent.
func invalidValue(field, whose string) error {
	return fault.Invalid(field, "VALUE_INVALID", "%s has data with values that JSON does not have (NaN, infinity, unknown fields, none at all), or more than %d deep", whose, maxNesting)
}

// checkNesting refuses a response that could be stored but never read again.
func checkNesting(r *a2apb.StreamResponse) error {
	ok := shallowMessage(r.GetMessage()) && shallowMessage(r.GetStatusUpdate().GetStatus().GetMessage()) &&
		shallowMessage(r.GetTask().GetStatus().GetMessage()) && shallowArtifact(r.GetArtifactUpdate().GetArtifact()) &&
		shallow(r.GetTask().GetMetadata(), maxNesting) && shallow(r.GetStatusUpdate().GetMetadata(), maxNesting)
	for _, a := range r.GetTask().GetArtifacts() {
		ok = ok && shallowArtifact(a)
	}
	if !ok {
		return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "the agent's data has lists and objects more than %d deep in one another, or values or fields that JSON does not have", maxNesting)
	}
	return nil
}

func shallowArtifact(a *a2apb.Artifact) bool {
	return shallowParts(a.GetParts()) && shallow(a.GetMetadata(), maxNesting)
}

func shallowMessage(m *a2apb.Message) bool {
	return shallowParts(m.GetParts()) && shallow(m.GetMetadata(), maxNesting)
}

func shallowParts(parts []*a2apb.Part) bool {
	for _, p := range parts {
		if !shallow(p.GetMetadata(), maxNesting) || !shallowValue(p.GetData(), maxNesting) {
			return false
		}
	}
	return true
}

func shallow(s *structpb.Struct, left int) bool {
	for _, v := range s.GetFields() {
		if !shallowValue(v, left-1) {
			return false
		}
	}
	return left >= 0 && !smuggles(s)
}

// shallowValue returns false also for values that only protobuf's wire format can express: no value at all, NaN, infinities and unknown fields.
func shallowValue(v *structpb.Value, left int) bool {
	if v != nil && v.GetKind() == nil || math.IsNaN(v.GetNumberValue()) || math.IsInf(v.GetNumberValue(), 0) || v.GetNullValue() != structpb.NullValue_NULL_VALUE {
		return false
	}
	if smuggles(v) || smuggles(v.GetListValue()) {
		return false
	}
	for _, item := range v.GetListValue().GetValues() {
		if !shallowValue(item, left-1) {
			return false
		}
	}
	return left >= 0 && shallow(v.GetStructValue(), left)
}

// smuggles reports whether a value, a list or an object has fields that these do not have. Reviewers approve JSON, which leaves them out; over gRPC they
// would go on to callers.
func smuggles(value proto.Message) bool { return len(value.ProtoReflect().GetUnknown()) > 0 }
