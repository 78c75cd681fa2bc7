package rpcserver_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/rpcserver"
)

func TestStreamsThatAreOverAreForgotten(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	if err := watch(as(t, readerToken), t, r.conn, newMessage("WatchBooksRequest")).RecvMsg(newMessage("Book")); !errors.Is(err, io.EOF) {
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

// TestAStreamThatBeginsWhenTheServerStopsEnds has one begin behind the others, which would hold the server up.
func TestAStreamThatBeginsWhenTheServerStopsEnds(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	r.stop(t)
	ctx, stop := r.WhileAdmitted(t.Context(), http.Header{"Authorization": {"Bearer " + readerToken}}, watchBooks)
	defer stop()
	if err := rpcserver.WhyEnded(ctx, ctx.Err()); fault.ReasonOf(err) != "STREAM_ENDED" {
		t.Errorf("a stream of a server that has stopped ended with %v, want STREAM_ENDED", err)
	}
}

// TestAStreamSaysWhyItIsOver sends on a stream that was ended just now, when the contexts derived from its own may not have heard of it.
func TestAStreamSaysWhyItIsOver(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancelCause(t.Context())
	end(fault.New(fault.Unavailable, "STREAM_ENDED", "the server stops"))
	if err := rpcserver.Stream(ctx).SendMsg(newMessage("Book")); fault.ReasonOf(err) != "STREAM_ENDED" {
		t.Errorf("SendMsg() = %v, want STREAM_ENDED", err)
	}
}

func TestTheRequestOfAStreamIsValidated(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	stream := watch(as(t, readerToken), t, r.conn, newMessage("WatchBooksRequest", "then", "Not A Name"))
	if err := rpcfault.FromStatus(stream.RecvMsg(newMessage("Book"))); fault.ReasonOf(err) != "VALIDATION_FAILED" {
		t.Errorf("WatchBooks(Not A Name) = %v, want VALIDATION_FAILED", err)
	}
}
