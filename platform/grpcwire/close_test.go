package grpcwire_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// TestAClosedClientHasNoCallOnAnEarlierConnection has a server take no more calls on a connection, and not read the only one there to its end.
func TestAClosedClientHasNoCallOnAnEarlierConnection(t *testing.T) {
	t.Parallel()
	left := make(chan struct{}) // closed when the client knows
	c := accepting(t, func(conn net.Conn, number int) {
		replyAll(t, conn, func(p *peer, f http2.Frame) {
			switch f := f.(type) {
			case *http2.MetaHeadersFrame:
				if number == 1 {
					_ = p.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil) // the client may be gone
					_ = p.WritePing(false, [8]byte{})
				}
			case *http2.PingFrame:
				close(left)
			case *http2.DataFrame:
				if number > 1 {
					p.answer(f.StreamID)
					p.status(f.StreamID, "0")
				}
			}
		})
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := c.Invoke(ctx, ask(t, echo, strings.Repeat("x", 1<<20)))
		ended <- err
	}()
	<-left
	if _, err := c.Invoke(ctx, ask(t, echo, "hello")); err != nil {
		t.Errorf("Invoke() over the second connection = %v, want the answer", err)
	}
	c.Close()
	if err := <-ended; status.Code(err) != codes.Unavailable {
		t.Errorf("Invoke() over the first connection = %v, want Unavailable once the client is closed", err)
	}
}

// TestAConnectionEndsWithTheLastCallThatItTakes has a client make all calls that there are ids for on a connection.
func TestAConnectionEndsWithTheLastCallThatItTakes(t *testing.T) {
	t.Parallel()
	over := make(chan int, 2) // the connections that the client has ended
	c := accepting(t, func(conn net.Conn, number int) {
		answerAll(t, conn, func(p *peer, id uint32) { p.answer(id); p.status(id, "0") })
		over <- number
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for n, before := range []func(){func() {}, c.UseUp, func() {}} {
		before()
		if _, err := c.Invoke(ctx, ask(t, echo, "hello")); err != nil {
			t.Fatalf("Invoke() number %d = %v, want the answer", n, err)
		}
	}
	select {
	case number := <-over:
		if number != 1 {
			t.Errorf("connection %d has ended, want the first, which takes no more calls", number)
		}
	case <-ctx.Done():
		t.Error("the first connection is open, want it ended: it takes no more calls")
	}
}
