package rpcserver_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"google.golang.org/grpc"
)

func TestStreamsThatAreOverAreForgotten(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	stream, err := r.conn.NewStream(as(t, readerToken), &grpc.StreamDesc{ServerStreams: true}, watchBooks)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(stream.SendMsg(newMessage("WatchBooksRequest")), stream.CloseSend(), stream.RecvMsg(newMessage("Book"))); !errors.Is(err, io.EOF) {
		t.Fatalf("the stream ended with %v, want EOF", err)
	}
	ctx, stop := r.WhileAdmitted(t.Context(), http.Header{"Authorization": {"Bearer " + readerToken}}, watchBooks)
	if r.Streams() != 1 || ctx.Err() != nil {
		t.Errorf("there are %d streams, of which one is over, and %v, want 1 and no error", r.Streams(), ctx.Err())
	}
	if stop(); r.Streams() != 0 || ctx.Err() == nil {
		t.Errorf("there are %d streams, all of which are over, and %v, want 0 and that its context has ended", r.Streams(), ctx.Err())
	}
}
