package engine_test

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// nested is a list in a list in a list.
func nested(deep int) *structpb.Value {
	v := structpb.NewNullValue()
	for range deep {
		v = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{v}})
	}
	return v
}

func object(v *structpb.Value) *structpb.Struct {
	return &structpb.Struct{Fields: map[string]*structpb.Value{"k": v}}
}

// smuggling returns m with a field that it does not have, which callers over gRPC would get and no reviewer sees.
func smuggling[M proto.Message](m M) M {
	m.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1))
	return m
}
