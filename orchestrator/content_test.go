package orchestrator_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
)

func TestACopyOfAMessageSaysTheSameAndHasFieldsOfItsOwn(t *testing.T) {
	t.Parallel()
	m := &a2apb.Message{
		MessageId: "m", ContextId: "c", TaskId: "t", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "do it"}}},
		Metadata:   &structpb.Struct{Fields: map[string]*structpb.Value{"k": structpb.NewStringValue("v")}},
		Extensions: []string{"e"}, ReferenceTaskIds: []string{"r"},
	}
	const later = 1000 // a field of a version of A2A to come
	m.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, later, protowire.BytesType), "new"))
	fields := m.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		if !m.ProtoReflect().Has(fields.Get(i)) {
			t.Fatalf("the message has no %s: give it a value here", fields.Get(i).Name())
		}
	}
	before := proto.CloneOf(m)
	own := orchestrator.CopyMessage(m)
	if !proto.Equal(own, before) {
		t.Errorf("CopyMessage() = %v, want %v", own, before)
	}
	own.MessageId, own.TaskId, own.Role = "other", "", a2apb.Role_ROLE_AGENT
	own.Parts, own.Metadata, own.Extensions = nil, nil, []string{"f"}
	if !proto.Equal(m, before) {
		t.Errorf("the message is %v once fields of its copy were replaced, want %v", m, before)
	}
}
