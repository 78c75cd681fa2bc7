package orchestrator

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
)

// AnswerID is the id and the name of the artifact that stands for an agent's answer without a task.
const AnswerID = "message"

// ReviewedArtifacts returns what is reviewed of artifacts: their parts in order and, behind those of an artifact that says more than its parts do, a
// data part with the rest. Whoever gets the artifacts gets names, metadata and descriptions, too. Ids are left out, since an agent that asks for a
// review before it delivers may not know them; callers do not get those that it chose if a review stands in between.
func ReviewedArtifacts(artifacts []*a2apb.Artifact) []*a2apb.Part {
	var parts []*a2apb.Part
	for _, a := range artifacts {
		r := rest{}
		if a.GetName() != AnswerID || a.GetArtifactId() != AnswerID { // that name is from Quorate
			r.text("name", a.GetName())
		}
		r.text("description", a.GetDescription())
		r.object("metadata", a.GetMetadata())
		r.list("extensions", a.GetExtensions())
		r.parts(a.GetParts())
		r.unknown(a)
		parts = append(parts, r.behind(a.GetParts(), "artifact")...)
	}
	return parts
}

// ReviewedWork returns what is reviewed of what an agent delivered: of the artifacts and, behind them, of the metadata of its task.
func ReviewedWork(artifacts []*a2apb.Artifact, metadata *structpb.Struct) []*a2apb.Part {
	r := rest{}
	r.object("metadata", metadata)
	return r.behind(ReviewedArtifacts(artifacts), "task")
}

// ReviewedMessage returns what is reviewed of a message, in the same way.
func ReviewedMessage(m *a2apb.Message) []*a2apb.Part {
	r := rest{}
	r.object("metadata", withoutReservedKeys(m.GetMetadata()))
	r.list("extensions", slices.DeleteFunc(slices.Clone(m.GetExtensions()), func(uri string) bool { return uri == consultation.ExtensionURI }))
	r.list("referenceTaskIds", m.GetReferenceTaskIds())
	r.parts(m.GetParts())
	r.unknown(m)
	return r.behind(m.GetParts(), "message")
}

// TraceparentKey is the key of the trace context, in HTTP headers and in the metadata of messages.
const TraceparentKey = "traceparent"

// TaskExtension is the key in the metadata of A2A messages, tasks and updates under which Quorate's own fields are.
const TaskExtension = "https://github.com/quorate/quorate/extensions/task/v1"

// withoutReservedKeys returns metadata without the keys that Quorate sets itself. Agents never get a caller's value for them, and a reviewer of a
// message that carries a consultation must not learn the terms of that consultation.
func withoutReservedKeys(metadata *structpb.Struct) *structpb.Struct {
	fields := maps.Clone(metadata.GetFields())
	delete(fields, consultation.ExtensionURI)
	delete(fields, TraceparentKey)
	return &structpb.Struct{Fields: fields}
}

// rest is what a request says besides its message, or an artifact, a message or a part besides its content, by the names of the fields in JSON.
type rest map[string]*structpb.Value

func (r rest) text(key, s string) {
	if s != "" {
		r[key] = structpb.NewStringValue(s)
	}
}

func (r rest) object(key string, s *structpb.Struct) {
	if len(s.GetFields()) > 0 {
		r[key] = structpb.NewStructValue(s)
	}
}

func (r rest) list(key string, texts []string) {
	if len(texts) == 0 {
		return
	}
	list := &structpb.ListValue{}
	for _, s := range texts {
		list.Values = append(list.Values, structpb.NewStringValue(s))
	}
	r[key] = structpb.NewListValue(list)
}

// unknown takes in fields of a newer version of A2A, which pass on as they are.
func (r rest) unknown(m proto.Message) {
	r.text("unknownFields", base64.StdEncoding.EncodeToString(m.ProtoReflect().GetUnknown()))
}

// parts takes in what the parts say besides their content, each under its number from 1.
func (r rest) parts(parts []*a2apb.Part) {
	numbered := rest{}
	for i, p := range parts {
		of := rest{}
		of.object("metadata", p.GetMetadata())
		of.unknown(p)
		numbered.object(strconv.Itoa(i+1), &structpb.Struct{Fields: of})
	}
	r.object("parts", &structpb.Struct{Fields: numbered})
}

// behind returns parts and, when there is any, the rest of what they are the parts of.
func (r rest) behind(parts []*a2apb.Part, of string) []*a2apb.Part {
	if len(r) == 0 {
		return parts
	}
	whole := &structpb.Struct{Fields: map[string]*structpb.Value{of: structpb.NewStructValue(&structpb.Struct{Fields: r})}}
	return append(slices.Clip(parts), &a2apb.Part{Content: &a2apb.Part_Data{Data: structpb.NewStructValue(whole)}})
}
