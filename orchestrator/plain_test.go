package orchestrator_test

import (
	"math"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
)

// nested is a list in a list in a list.
func nested(deep int) *structpb.Value {
	v := structpb.NewNullValue()
	for range deep {
		v = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{v}})
	}
	return v
}

// smuggling returns m with a field that it does not have, which callers over gRPC would get and no reviewer sees.
func smuggling[M proto.Message](m M) M {
	m.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1))
	return m
}

func TestPlainIsWhatJSONHasAndNotTooDeep(t *testing.T) {
	t.Parallel()
	in := func(v *structpb.Value) *structpb.Struct {
		return &structpb.Struct{Fields: map[string]*structpb.Value{"k": v}}
	}
	for name, test := range map[string]struct {
		value *structpb.Value
		want  bool
	}{
		"null":                        {structpb.NewNullValue(), true},
		"all kinds":                   {structpb.NewStructValue(in(structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue("a"), structpb.NewNumberValue(-0.5), structpb.NewBoolValue(true)}}))), true},
		"lists as deep as may be":     {nested(orchestrator.MaxNesting - 1), true},
		"lists that are too deep":     {nested(orchestrator.MaxNesting + 1), false},
		"objects in what is too deep": {structpb.NewStructValue(in(nested(orchestrator.MaxNesting))), false},
		"not a number":                {structpb.NewNumberValue(math.NaN()), false},
		"infinity":                    {structpb.NewNumberValue(math.Inf(-1)), false},
		"no value":                    {&structpb.Value{}, false},
		"a field that no value has":   {smuggling(structpb.NewBoolValue(true)), false},
		"a field that no list has":    {structpb.NewListValue(smuggling(&structpb.ListValue{})), false},
		"a field that no object has":  {structpb.NewStructValue(smuggling(&structpb.Struct{})), false},
		"a null that is not the null": {&structpb.Value{Kind: &structpb.Value_NullValue{NullValue: 7}}, false},
	} {
		data := []*a2apb.Part{{Content: &a2apb.Part_Data{Data: test.value}}}
		for where, got := range map[string]bool{
			"data":                   orchestrator.PlainParts(data),
			"a message's data":       orchestrator.PlainMessage(&a2apb.Message{Parts: data}),
			"a message's metadata":   orchestrator.PlainMessage(&a2apb.Message{Metadata: in(test.value)}),
			"an artifact's data":     orchestrator.PlainArtifact(&a2apb.Artifact{Parts: data}),
			"an artifact's metadata": orchestrator.PlainArtifact(&a2apb.Artifact{Metadata: in(test.value)}),
			"a part's metadata":      orchestrator.PlainParts([]*a2apb.Part{{Metadata: in(test.value)}}),
			"metadata":               orchestrator.PlainMetadata(in(test.value)),
		} {
			if got != test.want {
				t.Errorf("%s as %s is plain: %t, want %t", name, where, got, test.want)
			}
		}
	}
	deepest, err := proto.Marshal(nested(orchestrator.MaxNesting))
	if err == nil {
		err = proto.Unmarshal(deepest, &structpb.Value{})
	}
	if err != nil {
		t.Errorf("what is as deep as may be cannot be stored and read again: %v", err)
	}
	if orchestrator.PlainMetadata(smuggling(&structpb.Struct{})) {
		t.Error("metadata with a field that no object has is plain, want that it is not")
	}
}
