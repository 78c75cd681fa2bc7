package grpcwire_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/grpcwire"
)

func TestAnAnswerBeforeTheWholeRequestIsTaken(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := servedByGRPC(t, grpc.MaxRecvMsgSize(1000)) // it looks at the length, and grants nothing
	if _, err := c.Invoke(ctx, ask(t, echo, strings.Repeat("x", 4<<20))); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("Invoke(too much) = %v, want the server's ResourceExhausted", err)
	}
	for name, end := range map[string]func(p *peer, id uint32){
		"with a trailer":             func(p *peer, id uint32) { p.answer(id); p.status(id, "0") },
		"with a trailer and a reset": func(p *peer, id uint32) { p.answer(id); p.status(id, "0"); _ = p.WriteRSTStream(id, http2.ErrCodeNo) },
		"with a trailer and its end": func(p *peer, id uint32) { p.answer(id); p.status(id, "0"); _ = p.conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forgotten := make(chan struct{})
			c := replying(t, func(p *peer, f http2.Frame) {
				switch f := f.(type) {
				case *http2.MetaHeadersFrame:
					end(p, f.StreamID)
				case *http2.RSTStreamFrame:
					close(forgotten)
				}
			})
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			if _, err := c.Invoke(ctx, ask(t, echo, strings.Repeat("x", 1<<20))); err != nil {
				t.Errorf("Invoke() = %v, want the answer", err)
			}
			if name == "with a trailer" { // and nothing of the server's
				select {
				case <-forgotten:
				case <-ctx.Done():
					t.Error("the server waits for the rest of the request, want it told that none comes")
				}
			}
		})
	}
}

func TestACallEndsInTimeEvenIfThePeerDoesNotRead(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe() // which holds nothing for who does not read
	t.Cleanup(func() { _ = theirs.Close() })
	c := grpcwire.NewClient(func(context.Context) (net.Conn, error) { return ours, nil }, agentURL)
	go func() {
		p := http2.NewFramer(theirs, theirs)
		_, _ = io.ReadFull(theirs, make([]byte, len(http2.ClientPreface)))
		for range 2 { // settings and a window
			_, _ = p.ReadFrame()
		}
		_ = p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
		_ = p.WriteWindowUpdate(0, 1<<30)
		_, _ = p.ReadFrame() // the acknowledgement, and nothing else
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := c.Invoke(ctx, ask(t, echo, strings.Repeat("x", 1<<20))); status.Code(err) != codes.DeadlineExceeded || time.Since(begun) > 10*time.Second {
		t.Errorf("Invoke() = %v after %v, want DeadlineExceeded in time", err, time.Since(begun))
	}
}

// TestACallThatIsGivenUpDoesNotWaitForItsPeer uses a server that reads a call, and nothing behind it.
func TestACallThatIsGivenUpDoesNotWaitForItsPeer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer func() { _ = theirs.Close() }() // ends what the client writes
		c := grpcwire.NewClient(func(context.Context) (net.Conn, error) { return ours, nil }, agentURL)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			p := http2.NewFramer(theirs, theirs)
			_, _ = io.ReadFull(theirs, make([]byte, len(http2.ClientPreface)))
			for range 2 { // settings and a window
				_, _ = p.ReadFrame()
			}
			_ = p.WriteSettings()
			for range 3 { // the acknowledgement, the header and the message
				_, _ = p.ReadFrame()
			}
			cancel()
		}()
		begun := time.Now()
		if _, err := c.Invoke(ctx, ask(t, echo, "hello")); status.Code(err) != codes.Canceled || time.Since(begun) > 0 {
			t.Errorf("Invoke() = %v after %v, want Canceled at once", err, time.Since(begun))
		}
	})
}

// TestAMessageMayArriveWhileItsWindowIsExtended uses a pipe, so that the client is still writing the window update for a large message when the rest of the
// message and the end of the stream arrive.
func TestAMessageMayArriveWhileItsWindowIsExtended(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = theirs.Close() })
	message := make([]byte, 1<<20)
	go func() {
		p := &peer{Framer: http2.NewFramer(theirs, theirs), t: t, conn: theirs}
		p.enc = hpack.NewEncoder(&p.buf)
		_, _ = io.ReadFull(theirs, make([]byte, len(http2.ClientPreface)))
		for range 2 { // settings and a window
			_, _ = p.ReadFrame()
		}
		_ = p.WriteSettings()
		for range 3 { // the acknowledgement, the header and the message
			_, _ = p.ReadFrame()
		}
		const part, id = 16 << 10, 1
		rest := append([]byte{0, 0, 16, 0, 0}, message...)
		update := make([]byte, 13)
		p.begin(id)
		_ = p.WriteData(id, false, rest[:part])
		_, _ = io.ReadFull(theirs, update[:1]) // the client is writing now
		for rest = rest[part:]; len(rest) > 0; rest = rest[min(part, len(rest)):] {
			_ = p.WriteData(id, false, rest[:min(part, len(rest))])
		}
		p.status(id, "0")
		for range 4 { // more than the client buffers, so that it has handled everything before
			_ = p.WriteRawFrame(0xfa, 0, 0, make([]byte, part))
		}
		_, _ = io.ReadFull(theirs, update[1:])
		_, _ = io.Copy(io.Discard, theirs)
	}()
	c := grpcwire.NewClient(func(context.Context) (net.Conn, error) { return ours, nil }, agentURL)
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	size := 0
	err := c.Stream(ctx, ask(t, count, "1"), func(answer []byte) error { size += len(answer); return nil })
	if err != nil || size != len(message) {
		t.Errorf("Stream() = %d bytes, %v, want the whole message", size, err)
	}
}
