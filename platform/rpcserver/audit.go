package rpcserver

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// identities are the fields that name a resource, in our messages.
var identities = []protoreflect.Name{"name", "key_id", "domain"}

// resource returns the name of what a call is about, as its answer or its request says it, there or one level below; empty when neither does.
func resource(answer, request any) string {
	for _, m := range []any{answer, request} {
		if message, ok := m.(proto.Message); ok && message.ProtoReflect().IsValid() {
			if name := identity(message.ProtoReflect(), 1); name != "" {
				return name
			}
		}
	}
	return ""
}

func identity(m protoreflect.Message, below int) string {
	fields := m.Descriptor().Fields()
	for _, name := range identities {
		if f := fields.ByName(name); f != nil && f.Kind() == protoreflect.StringKind && !f.IsList() && m.Has(f) {
			return m.Get(f).String()
		}
	}
	for i := range fields.Len() {
		if f := fields.Get(i); below > 0 && f.Message() != nil && !f.IsList() && !f.IsMap() && m.Has(f) {
			if name := identity(m.Get(f).Message(), below-1); name != "" {
				return name
			}
		}
	}
	return ""
}
