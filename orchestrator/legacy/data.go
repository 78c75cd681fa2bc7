package legacy

import (
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// A value that is not an object is wrapped as {valueKey: value}, and wrappedKey in the metadata of its part is true.
const (
	valueKey   = "value"
	wrappedKey = "data_part_compat"
)

// presentable drops parts without content and wraps data that is not an object. It returns m itself if there is nothing to do, and otherwise a copy.
func presentable(m proto.Message) proto.Message {
	lists := partsIn(m)
	if !slices.ContainsFunc(lists, func(parts *[]*a2apb.Part) bool { return slices.ContainsFunc(*parts, isOdd) }) {
		return m
	}
	m = proto.CloneOf(m)
	for _, parts := range partsIn(m) {
		*parts = slices.DeleteFunc(*parts, isEmpty)
		for _, p := range *parts {
			if isBare(p) {
				wrap(p)
			}
		}
	}
	return m
}

func isOdd(p *a2apb.Part) bool { return isEmpty(p) || isBare(p) }

// isEmpty reports whether a part has no content, or content of a newer version of A2A.
func isEmpty(p *a2apb.Part) bool {
	url, is := p.GetContent().(*a2apb.Part_Url)
	return p.GetContent() == nil || is && url.Url == ""
}

// isBare reports whether a part has data that is not an object.
func isBare(p *a2apb.Part) bool {
	_, data := p.GetContent().(*a2apb.Part_Data)
	_, object := p.GetData().GetKind().(*structpb.Value_StructValue)
	return data && !object
}

func wrap(p *a2apb.Part) {
	metadata := p.GetMetadata().GetFields()
	if metadata == nil {
		metadata = make(map[string]*structpb.Value)
	}
	metadata[wrappedKey] = structpb.NewBoolValue(true)
	p.Metadata = &structpb.Struct{Fields: metadata}
	p.Content = &a2apb.Part_Data{Data: structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{valueKey: p.GetData()}})}
}

// partsIn returns all lists of parts in a message, at any depth.
func partsIn(m proto.Message) (lists []*[]*a2apb.Part) {
	of := func(messages ...*a2apb.Message) {
		for _, said := range messages {
			if said != nil {
				lists = append(lists, &said.Parts)
			}
		}
	}
	made := func(artifacts ...*a2apb.Artifact) {
		for _, a := range artifacts {
			if a != nil {
				lists = append(lists, &a.Parts)
			}
		}
	}
	switch x := m.(type) {
	case *a2apb.SendMessageRequest:
		of(x.GetMessage())
	case *a2apb.SendMessageResponse:
		of(x.GetMessage())
		lists = append(lists, partsIn(x.GetTask())...)
	case *a2apb.StreamResponse:
		of(x.GetMessage(), x.GetStatusUpdate().GetStatus().GetMessage())
		made(x.GetArtifactUpdate().GetArtifact())
		lists = append(lists, partsIn(x.GetTask())...)
	case *a2apb.Task:
		of(append(slices.Clone(x.GetHistory()), x.GetStatus().GetMessage())...)
		made(x.GetArtifacts()...)
	}
	return lists
}
