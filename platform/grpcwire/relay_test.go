package grpcwire_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// chatting opens a call that is relayed, on a connection that grpcwire serves.
func chatting(t *testing.T, addr string) grpc.ClientStream {
	t.Helper()
	conn := dial(t, addr)
	if err := conn.Invoke(t.Context(), echo, text("hello"), &wrapperspb.BytesValue{}); err != nil {
		t.Fatal(err)
	}
	s, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, chat)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatIsWrongWithARelayedRequestIsSaid(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	s := chatting(t, addr)
	_ = s.SendMsg(text(strings.Repeat("x", 2*maxRequest))) // RecvMsg says why it fails
	if err := s.RecvMsg(&wrapperspb.BytesValue{}); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("Chat() = %v, want ResourceExhausted", err)
	}
}

// TestWhatARelayedCallHasSentCountsNoLonger has a call stay open and send many messages, which are passed on one by one.
func TestWhatARelayedCallHasSentCountsNoLonger(t *testing.T) {
	t.Parallel()
	server, addr := serve(t, nil)
	s := chatting(t, addr)
	for range 20 {
		if err := errors.Join(s.SendMsg(text(strings.Repeat("x", 64<<10))), s.RecvMsg(&wrapperspb.BytesValue{})); err != nil {
			t.Fatalf("Chat() = %v, want no error", err)
		}
	}
	if kept := server.Kept(); kept > 64<<10 {
		t.Errorf("%d bytes count as requests that are not whole, after all were passed on, want those of the header", kept)
	}
}

// TestARelayedRequestThatEndsWithinAMessageIsAnError has a client break off, which must not look like the end of what it had to say.
func TestARelayedRequestThatEndsWithinAMessageIsAnError(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	p := newPeer(t, addr)
	p.call(1, true) // so that grpcwire serves the connection
	p.path(3, chat)
	p.must(0, p.WriteData(3, true, hello[:len(hello)-1]))
	if got := p.end(3); got != "status 13" {
		t.Errorf("a request that ends within a message ended with %q, want status 13 (Internal)", got)
	}
}

func TestARelayedCallWithAWrongTimeoutIsRefused(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	p := newPeer(t, addr)
	p.call(1, true) // so that grpcwire serves the connection
	p.path(3, chat, "grpc-timeout", "soon")
	if got := p.end(3); got != "status 13" {
		t.Errorf("a relayed call with a timeout that is none ended with %q, want status 13 (Internal)", got)
	}
}
