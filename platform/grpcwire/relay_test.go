package grpcwire_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
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
	for want, ask := range map[codes.Code]struct {
		text    string
		options []grpc.CallOption
	}{
		codes.ResourceExhausted: {strings.Repeat("x", 2*maxRequest), nil},
		codes.Unimplemented:     {"hello", []grpc.CallOption{grpc.UseCompressor(gzip.Name)}},
	} {
		s, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, chat, ask.options...)
		if err != nil {
			t.Fatal(err)
		}
		_ = s.SendMsg(text(ask.text)) // RecvMsg says why it fails
		if err := s.RecvMsg(&wrapperspb.BytesValue{}); status.Code(err) != want {
			t.Errorf("Chat() = %v, want %v", err, want)
		}
	}
}

func TestAClientThatCompressesIsServedByGRPC(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	resp := &wrapperspb.BytesValue{}
	err := dial(t, addr).Invoke(t.Context(), echo, text("hello"), resp, grpc.UseCompressor(gzip.Name))
	if err != nil || string(resp.GetValue()) != "hello" {
		t.Errorf("Echo() = %q, %v, want the same", resp.GetValue(), err)
	}
}
