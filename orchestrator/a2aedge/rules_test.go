package a2aedge_test

import (
	"testing"

	"buf.build/go/protovalidate"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestNoRuleIsAboutWhatIsInAMessage holds what lets an order be validated without its message.
func TestNoRuleIsAboutWhatIsInAMessage(t *testing.T) {
	t.Parallel()
	seen := make(map[protoreflect.FullName]bool)
	var look func(m protoreflect.MessageDescriptor)
	look = func(m protoreflect.MessageDescriptor) {
		if seen[m.FullName()] {
			return
		}
		seen[m.FullName()] = true
		if rules, err := protovalidate.ResolveMessageRules(m); rules != nil || err != nil {
			t.Errorf("%s has rules %v, %v: validate it", m.FullName(), rules, err)
		}
		for i := range m.Oneofs().Len() {
			if rules, err := protovalidate.ResolveOneofRules(m.Oneofs().Get(i)); rules != nil || err != nil {
				t.Errorf("%s has rules %v, %v: validate it", m.Oneofs().Get(i).FullName(), rules, err)
			}
		}
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			if rules, err := protovalidate.ResolveFieldRules(f); rules != nil || err != nil {
				t.Errorf("%s has rules %v, %v: validate it", f.FullName(), rules, err)
			}
			if f.Message() != nil {
				look(f.Message())
			}
		}
	}
	look((&a2apb.Message{}).ProtoReflect().Descriptor())
	if len(seen) < 2 {
		t.Errorf("looked at %d types of messages, want that of parts as well", len(seen))
	}
}
