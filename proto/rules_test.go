package proto_test

import (
	"testing"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	protobuf "google.golang.org/protobuf/proto"
)

// TestPagesOfAllListsHaveTheSameBounds compares the rules of page_size, so that a size that one list refuses is refused by all.
func TestPagesOfAllListsHaveTheSameBounds(t *testing.T) {
	t.Parallel()
	lists := 0
	for _, b := range bindings() {
		size := b.fields.ByName("page_size")
		if size == nil {
			continue
		}
		lists++
		rules, _ := protobuf.GetExtension(size.Options(), validate.E_Field).(*validate.FieldRules)
		if of := rules.GetInt32(); of == nil || !of.HasGte() || of.GetGte() != 0 || of.GetLte() != 1000 {
			t.Errorf("%s has the rules %v, want 0 to 1,000", size.FullName(), rules)
		}
	}
	if lists < 8 {
		t.Errorf("there are %d lists, want more", lists)
	}
}
