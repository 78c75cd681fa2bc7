package orchestrator

import (
	"encoding/json"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
)

// CopyMessage returns a shallow copy of m: its fields may be replaced, but what they hold, such as parts, is shared with m and must not be changed.
func CopyMessage(m *a2apb.Message) *a2apb.Message {
	own := &a2apb.Message{
		MessageId: m.GetMessageId(), ContextId: m.GetContextId(), TaskId: m.GetTaskId(), Role: m.GetRole(), Parts: m.GetParts(),
		Metadata: m.GetMetadata(), Extensions: m.GetExtensions(), ReferenceTaskIds: m.GetReferenceTaskIds(),
	}
	own.ProtoReflect().SetUnknown(m.ProtoReflect().GetUnknown())
	return own
}

// ArtifactsDigest is the digest of artifacts: all that is reviewed of all of them, in order.
func ArtifactsDigest(artifacts []*a2apb.Artifact) string { return workDigest(artifacts, nil) }

// workDigest is the digest of what an agent delivered: artifacts, and the metadata of its task.
func workDigest(artifacts []*a2apb.Artifact, metadata *structpb.Struct) string {
	return consultation.Digest(contentParts(ReviewedWork(artifacts, metadata)))
}

// MessageDigest is the digest of what is reviewed of a message.
func MessageDigest(m *a2apb.Message) string {
	return consultation.Digest(contentParts(ReviewedMessage(m)))
}

// errorDigest returns the digest of why an agent failed, which is the content that an on-error consultation is about.
func errorDigest(e *Error) string {
	if e == nil {
		return consultation.Digest(nil)
	}
	return consultation.Digest([]consultation.Part{{Kind: "text", Text: e.Reason}, {Kind: "text", Text: e.Message}})
}

// Digest returns the digest of the content that the requirements of a phase are about, or "" when there is no such content yet.
func (t *Task) Digest(p Phase) string {
	switch p {
	case PhasePreExecution:
		return MessageDigest(t.Message)
	case PhaseDesignReview, PhasePreCompletion:
		if t.Phase == PhasePreExecution || t.Phase == PhaseExecution {
			return ""
		}
		return workDigest(t.Artifacts, t.Metadata)
	case PhaseOnError:
		if t.Phase != PhaseOnError {
			return ""
		}
		return errorDigest(t.Error)
	default:
		return ""
	}
}

func contentParts(in []*a2apb.Part) []consultation.Part {
	out := make([]consultation.Part, 0, len(in))
	for _, p := range in {
		c := consultation.Part{Filename: p.GetFilename(), MediaType: p.GetMediaType()}
		switch v := p.GetContent().(type) {
		case *a2apb.Part_Text:
			c.Kind, c.Text = "text", v.Text
		case *a2apb.Part_Raw:
			c.Kind, c.Raw = "raw", v.Raw
		case *a2apb.Part_Url:
			c.Kind, c.URL = "url", v.Url
		case *a2apb.Part_Data:
			c.Kind, c.Data = "data", canonicalJSON(v.Data)
		}
		out = append(out, c)
	}
	return out
}

// canonicalJSON encodes a value with sorted keys. A Value can hold NaN and infinities, which JSON cannot; tasks take none. If one occurs all the same, the
// result is no JSON, so that the digest is that of nothing that a task takes.
func canonicalJSON(v *structpb.Value) []byte {
	b, err := json.Marshal(v.AsInterface())
	if err != nil {
		return []byte("invalid: " + err.Error())
	}
	return b
}
