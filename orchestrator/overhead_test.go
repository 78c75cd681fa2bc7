package orchestrator_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
)

// TestEachValueCounts has contents whose values are counted, since each takes memory: an agent could send millions in few bytes.
func TestEachValueCounts(t *testing.T) {
	t.Parallel()
	nested := func() *structpb.Struct { // five values: a list of two, in one of which there is an object of one
		return object(t, map[string]any{"a": []any{map[string]any{"b": []any{nil}}, nil}})
	}
	data := &a2apb.Part{Content: &a2apb.Part_Data{Data: structpb.NewStructValue(nested())}}
	for name, test := range map[string]struct {
		content proto.Message
		want    int
	}{
		"metadata":                  {nested(), 5},
		"two parts":                 {&a2apb.Message{Parts: []*a2apb.Part{{}, {}}}, 2},
		"data":                      {&a2apb.Artifact{Parts: []*a2apb.Part{data}}, 1 + 5},
		"metadata of a part":        {&a2apb.Artifact{Parts: []*a2apb.Part{{Metadata: nested()}}}, 1 + 5},
		"metadata of a message":     {&a2apb.Message{Parts: []*a2apb.Part{data}, Metadata: nested()}, 1 + 5 + 5},
		"metadata of an artifact":   {&a2apb.Artifact{Parts: []*a2apb.Part{data}, Metadata: nested()}, 1 + 5 + 5},
		"extensions and references": {&a2apb.Message{Extensions: []string{"a", "b"}, ReferenceTaskIds: []string{"c"}}, 3},
		"extensions":                {&a2apb.Artifact{Extensions: []string{"a", "b"}}, 2},
	} {
		if got := orchestrator.Values(test.content); got != test.want || orchestrator.Overhead(test.content) != test.want*orchestrator.ValueBytes {
			t.Errorf("Values(%s) = %d, want %d", name, got, test.want)
		}
	}
	few, many := consultation.Attributes{"a": []any{"x"}, "b": "y"}, consultation.Attributes{"a": make([]any, 1000), "b": "y"}
	if a, b := orchestrator.AttributesOverhead(few), orchestrator.AttributesOverhead(many); b < 1000*a || a <= 0 {
		t.Errorf("AttributesOverhead() = %d for one item and %d for a thousand, want a thousand times as much", a, b)
	}
}
