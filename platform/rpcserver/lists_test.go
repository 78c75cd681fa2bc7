package rpcserver_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/rpcserver"
)

func TestAnAnswerHasItsListsEvenWhenTheyAreEmpty(t *testing.T) {
	t.Parallel()
	full := newMessage("Shelf", "name", "a", "next_page_token", "t")
	others := full.Mutable(full.Descriptor().Fields().ByName("others")).List()
	others.Append(protoreflect.ValueOfMessage(newMessage("Book", "name", "dune")))
	nested := newMessage("Shelf")
	nested.Mutable(nested.Descriptor().Fields().ByName("best")).Message().Set(nested.Descriptor().Fields().ByName("name"), protoreflect.ValueOfString("b"))
	for want, answer := range map[string]proto.Message{
		`{"others":[],"nextPageToken":""}`:                            newMessage("Shelf"),
		`{"name":"a","others":[],"nextPageToken":""}`:                 newMessage("Shelf", "name", "a"),
		`{"name":"a","others":[{"name":"dune"}],"nextPageToken":"t"}`: full,
		`{"best":{"name":"b"},"others":[],"nextPageToken":""}`:        nested,
		`{"name":"dune"}`: newMessage("Book", "name", "dune"),
		`{}`:              &emptypb.Empty{},
		`[]`:              &structpb.ListValue{},
		`{"fields":[]}`:   &structpb.Struct{Fields: map[string]*structpb.Value{"fields": structpb.NewListValue(&structpb.ListValue{})}},
	} {
		got, err := rpcserver.Marshal(answer)
		var compact bytes.Buffer // protojson puts spaces where it likes
		if err != nil || json.Compact(&compact, got) != nil || compact.String() != want {
			t.Errorf("Marshal(%v) = %s, %v, want %s", answer, got, err, want)
		}
	}
}
