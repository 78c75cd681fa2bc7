package orchestrator_test

import (
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
)

func TestASayingIsWhatTheTextLeavesOut(t *testing.T) {
	t.Parallel()
	part := func(s string) *a2apb.Part { return &a2apb.Part{Content: &a2apb.Part_Text{Text: s}} }
	data := &a2apb.Part{Content: &a2apb.Part_Data{Data: structpb.NewStringValue("x")}}
	about := &structpb.Struct{Fields: map[string]*structpb.Value{"k": structpb.NewStringValue("v")}}
	for name, tt := range map[string]struct {
		message *a2apb.Message
		none    bool
	}{
		"no message":         {nil, true},
		"no parts":           {&a2apb.Message{MessageId: "1"}, true},
		"the text":           {&a2apb.Message{MessageId: "1", TaskId: "r", Parts: []*a2apb.Part{part("ab")}}, true},
		"its pieces":         {&a2apb.Message{Parts: []*a2apb.Part{part("a"), part("b")}}, false},
		"more than the text": {&a2apb.Message{Parts: []*a2apb.Part{part("abc")}}, false},
		"data":               {&a2apb.Message{Parts: []*a2apb.Part{part("ab"), data}}, false},
		"data alone":         {&a2apb.Message{Parts: []*a2apb.Part{data}}, false},
		"metadata":           {&a2apb.Message{Parts: []*a2apb.Part{part("ab")}, Metadata: about}, false},
		"metadata of a part": {&a2apb.Message{Parts: []*a2apb.Part{{Content: part("ab").GetContent(), Metadata: about}}}, false},
		"a media type":       {&a2apb.Message{Parts: []*a2apb.Part{{Content: part("ab").GetContent(), MediaType: "text/markdown"}}}, false},
		"an extension":       {&a2apb.Message{Parts: []*a2apb.Part{part("ab")}, Extensions: []string{"urn:x"}}, false},
		"too much":           {&a2apb.Message{Parts: []*a2apb.Part{part(strings.Repeat("x", orchestrator.MaxSaying))}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := orchestrator.NewSaying(tt.message, "ab").Message()
			if none := got == nil; none != tt.none || !none && !proto.Equal(got, tt.message) {
				t.Errorf("the saying is %v, want none: %t", got, tt.none)
			}
		})
	}
}
