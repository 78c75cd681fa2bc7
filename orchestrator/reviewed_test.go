package orchestrator_test

import (
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
)

func secret() *structpb.Struct {
	return &structpb.Struct{Fields: map[string]*structpb.Value{"note": structpb.NewStringValue("xyzzy")}}
}

func later(m proto.Message) {
	const field = 1000 // of a version of A2A to come
	m.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, field, protowire.BytesType), "xyzzy"))
}

func TestWhateverAnArtifactSaysIsReviewed(t *testing.T) {
	t.Parallel()
	tests := map[string]func(a *a2apb.Artifact){
		"its metadata":               func(a *a2apb.Artifact) { a.Metadata = secret() },
		"its description":            func(a *a2apb.Artifact) { a.Description = "xyzzy" },
		"its extensions":             func(a *a2apb.Artifact) { a.Extensions = []string{"xyzzy"} },
		"its name":                   func(a *a2apb.Artifact) { a.Name = "xyzzy" },
		"the name of an answer":      func(a *a2apb.Artifact) { a.Name = orchestrator.AnswerID },
		"the id of an answer":        func(a *a2apb.Artifact) { a.ArtifactId, a.Name = orchestrator.AnswerID, "plugh" },
		"a field to come":            func(a *a2apb.Artifact) { later(a) },
		"metadata of a part":         func(a *a2apb.Artifact) { a.GetParts()[1].Metadata = secret() },
		"a part of a kind to come":   func(a *a2apb.Artifact) { a.GetParts()[1].Content = nil; later(a.GetParts()[1]) },
		"the metadata of its 1st":    func(a *a2apb.Artifact) { a.GetParts()[0].Metadata = secret() },
		"an extension with no words": func(a *a2apb.Artifact) { a.Extensions = []string{""} },
	}
	plain := func() *a2apb.Artifact {
		return &a2apb.Artifact{ArtifactId: "a", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "one"}}, {Content: &a2apb.Part_Text{Text: "two"}}}}
	}
	seen := map[string]string{orchestrator.ArtifactsDigest([]*a2apb.Artifact{plain()}): "nothing besides its parts"}
	for name, change := range tests {
		a := plain()
		change(a)
		before := proto.CloneOf(a)
		digest := orchestrator.ArtifactsDigest([]*a2apb.Artifact{a})
		if other, dup := seen[digest]; dup {
			t.Errorf("ArtifactsDigest() of an artifact with %s is that of one with %s", name, other)
		}
		seen[digest] = name
		if got := orchestrator.ReviewedArtifacts([]*a2apb.Artifact{a}); len(got) != 3 || !strings.HasPrefix(got[2].GetData().String(), "struct_value") {
			t.Errorf("ReviewedArtifacts() of an artifact with %s = %v, want its two parts and one with the rest", name, got)
		}
		if !proto.Equal(a, before) {
			t.Errorf("the artifact is %v once it was looked at, want %v", a, before)
		}
	}
	if fields := (&a2apb.Artifact{}).ProtoReflect().Descriptor().Fields().Len(); fields != 6 {
		t.Errorf("an artifact has %d fields, want 6: say above what becomes of a new one", fields)
	}
	if fields := (&a2apb.Part{}).ProtoReflect().Descriptor().Fields().Len(); fields != 7 {
		t.Errorf("a part has %d fields, want 7: say above what becomes of a new one", fields)
	}
}

func TestIDsOfArtifactsAreNotReviewed(t *testing.T) {
	t.Parallel()
	parts := []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "one"}}}
	want := orchestrator.ArtifactsDigest([]*a2apb.Artifact{{Parts: parts, Metadata: &structpb.Struct{}}})
	for what, a := range map[string]*a2apb.Artifact{
		"an id":                        {ArtifactId: "0198a2c4-53b1-7e90-8a51-0c7d3a1b2c3d", Parts: parts},
		"what Quorate calls an answer": {ArtifactId: orchestrator.AnswerID, Name: orchestrator.AnswerID, Parts: parts},
	} {
		if orchestrator.ArtifactsDigest([]*a2apb.Artifact{a}) != want {
			t.Errorf("ArtifactsDigest() tells an artifact from one with %s, want the same digest", what)
		}
	}
}

func TestWhateverAMessageSaysIsReviewed(t *testing.T) {
	t.Parallel()
	parts := []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "one"}}}
	unknown := &a2apb.Message{Parts: parts}
	later(unknown)
	seen := make(map[string]string)
	for name, m := range map[string]*a2apb.Message{
		"nothing besides its parts": {MessageId: "m", ContextId: "c", Parts: parts},
		"metadata":                  {Parts: parts, Metadata: secret()},
		"extensions":                {Parts: parts, Extensions: []string{"xyzzy"}},
		"references":                {Parts: parts, ReferenceTaskIds: []string{"xyzzy"}},
		"a field to come":           unknown,
		"metadata of a part":        {Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "one"}, Metadata: secret()}}},
	} {
		digest := orchestrator.MessageDigest(m)
		if other, dup := seen[digest]; dup {
			t.Errorf("MessageDigest() of a message with %s is that of one with %s", name, other)
		}
		seen[digest] = name
	}
}

func TestWhatQuorateSaysInAMessageIsNotReviewed(t *testing.T) {
	t.Parallel()
	parts := []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "one"}}}
	terms := &structpb.Struct{Fields: map[string]*structpb.Value{
		consultation.ExtensionURI: structpb.NewStringValue("terms"), orchestrator.TraceparentKey: structpb.NewStringValue("00-1-2-01"),
	}}
	m := &a2apb.Message{Parts: parts, Metadata: terms, Extensions: []string{consultation.ExtensionURI}}
	before := proto.CloneOf(m)
	if got := orchestrator.ReviewedMessage(m); len(got) != 1 {
		t.Errorf("ReviewedMessage() = %v, want the parts and not the terms of a consultation", got)
	}
	if !proto.Equal(m, before) {
		t.Errorf("the message is %v after that, want %v", m, before)
	}
}
