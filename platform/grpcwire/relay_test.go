package grpcwire_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func TestWhatIsWrongWithARelayedRequestIsSaid(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	conn := dial(t, addr)
	if err := conn.Invoke(t.Context(), echo, text("hello"), &wrapperspb.BytesValue{}); err != nil {
		t.Fatal(err)
	}
	s, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, chat)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.SendMsg(text(strings.Repeat("x", 2*maxRequest))) // RecvMsg says why it fails
	if err := s.RecvMsg(&wrapperspb.BytesValue{}); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("Chat() = %v, want ResourceExhausted", err)
	}
}
