package rpcserver

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// identities are the fields that name a resource in our messages, in order of preference.
var identities = []protoreflect.Name{"name", "key_id", "domain"}

// resource returns the name of the resource that a call is about. It looks in the answer, then in the request, in the message itself and one level
// below; it is empty when there is none.
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
