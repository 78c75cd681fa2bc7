package a2aedge_test

import (
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"
)

// TestARequestThatMayBeReadInTwoWaysDoesNotPass sends over gRPC what decoders may understand in several ways: Quorate could check another message than the
// agent works on.
func TestARequestThatMayBeReadInTwoWaysDoesNotPass(t *testing.T) {
	w := newWorld(t, passAll)
	const tenant, message = 1, 2 // fields of a SendMessageRequest
	field := func(n protowire.Number, value string) string {
		return string(protowire.AppendString(protowire.AppendTag(nil, n, protowire.BytesType), value))
	}
	said := field(1, "m") + string(protowire.AppendVarint(protowire.AppendTag(nil, 4, protowire.VarintType), uint64(a2apb.Role_ROLE_USER))) + field(5, field(1, "hello"))
	for name, x := range map[string]struct {
		request string
		tracked bool
		refused string
	}{
		"a message":                       {field(message, said), false, ""},
		"a message in two parts":          {field(message, said) + field(message, field(10, "more")), true, ""},
		"a message that cannot be read":   {field(message, said+"\xff"), false, "the request is not a SendMessageRequest"},
		"a message with an overlong part": {field(message, said+"\x52\x7f"), false, "the request is not a SendMessageRequest"},
	} {
		t.Run(name, func(t *testing.T) {
			request, answer := &emptypb.Empty{}, &a2apb.SendMessageResponse{}
			request.ProtoReflect().SetUnknown([]byte(field(tenant, "echo") + x.request))
			err := w.conn.Invoke(metadata.AppendToOutgoingContext(w.ctx, "a2a-version", "1.0"), a2apb.A2AService_SendMessage_FullMethodName, request, answer)
			if x.refused != "" {
				if err == nil || !strings.Contains(err.Error(), x.refused) {
					t.Errorf("SendMessage() = %v, %v, want Quorate to refuse it", answer, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("SendMessage() = %v, want a task", err)
			}
			if tracked := answer.GetTask().GetMetadata().GetFields()[taskExtension] != nil; tracked != x.tracked {
				t.Errorf("SendMessage() = %v, want it tracked: %t", answer, x.tracked)
			}
		})
	}
}
