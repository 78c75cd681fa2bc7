package grpcwire_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
)

const window = 64 << 10 // of an answer

// sized returns a message of a size with its prefix.
func sized(size int) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(size)), make([]byte, size)...)
}

// sparing returns a function that answers a call with a message as far as its window goes, and ends it only while there is some left: so do servers that
// are built on nghttp2, such as Node's. told is called when there is room again.
func sparing(message []byte, told func()) func(p *peer, f http2.Frame) {
	const frame = 16 << 10
	var rest []byte
	room := 0
	send := func(p *peer, id uint32) {
		for len(rest) > 0 && room > 0 {
			n := min(len(rest), room, frame)
			_ = p.WriteData(id, false, rest[:n]) // the client may be gone
			rest, room = rest[n:], room-n
		}
		if len(rest) == 0 && room > 0 {
			p.status(id, "0")
		}
	}
	return func(p *peer, f http2.Frame) {
		switch f := f.(type) {
		case *http2.DataFrame:
			rest, room = message, window
			p.begin(f.StreamID)
			send(p, f.StreamID)
		case *http2.WindowUpdateFrame:
			if f.StreamID != 0 {
				told()
				room += int(f.Increment)
				send(p, f.StreamID)
			}
		}
	}
}

// TestALargeAnswerIsAskedForFirst has a server note when it is told that there is room.
func TestALargeAnswerIsAskedForFirst(t *testing.T) {
	t.Parallel()
	var happened []string // by turns of client and server
	c := replying(t, sparing(sized(100<<10), func() { happened = append(happened, "there is room") }))
	r := ask(t, echo, "hello")
	r.Large = func() error { happened = append(happened, "asked"); return nil }
	answer, err := c.Invoke(t.Context(), r)
	if want := []string{"asked", "there is room", "there is room"}; err != nil || len(answer) != 100<<10 || !slices.Equal(happened, want) {
		t.Errorf("Invoke() = %d bytes, %v, after %q, want 100 KiB after %q", len(answer), err, happened, want)
	}
	tooMuch := errors.New("too much")
	r.Large = func() error { return tooMuch }
	if _, err := c.Invoke(t.Context(), r); err != tooMuch { //nolint:errorlint // as it is
		t.Errorf("Invoke() of what is too much = %v, want the error as it is", err)
	}
}

// TestAnAnswerMayFillItsWindow has servers whose answers leave nothing of a window, or more.
func TestAnAnswerMayFillItsWindow(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, window/2 - 5, window / 2, window - 6, window - 5, window - 4, window, 2 * window} {
		c := replying(t, sparing(sized(size), func() {}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if answer, err := c.Invoke(ctx, ask(t, echo, "")); err != nil || len(answer) != size {
			t.Errorf("Invoke() = %d bytes, %v, want %d", len(answer), err, size)
		}
		got := -1
		if err := c.Stream(ctx, ask(t, count, "1"), func(answer []byte) error { got = len(answer); return nil }); err != nil || got != size {
			t.Errorf("Stream() = %v with %d bytes, want %d", err, got, size)
		}
	}
}

// TestEachLargeAnswerOfAStreamIsAskedFor has a server stream answers of several sizes, and another one compress its answer.
func TestEachLargeAnswerOfAStreamIsAskedFor(t *testing.T) {
	t.Parallel()
	sizes := []int{1, 200 << 10, 2, 20 << 10, 60 << 10, 100 << 10, 3}
	c := servedByGRPC(t, grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		for _, n := range sizes {
			if err := s.SendMsg(text(strings.Repeat("x", n))); err != nil {
				return err
			}
		}
		return nil
	}))
	asked := 0
	r := ask(t, "/test.v1.Sizes/Stream", "")
	r.Large = func() error { asked++; return nil }
	var when []int // how often it was asked by each answer
	if err := c.Stream(t.Context(), r, func([]byte) error { when = append(when, asked); return nil }); err != nil {
		t.Errorf("Stream() = %v, want no error", err)
	}
	if want := []int{0, 1, 1, 1, 1, 2, 2}; !slices.Equal(when, want) {
		t.Errorf("answers of %d bytes were asked for %d times by then, want %d", sizes, when, want)
	}
	c = answering(t, func(p *peer, id uint32) {
		p.head(id, false, ":status", "200", "content-type", "application/grpc", "grpc-encoding", "gzip")
		_ = p.WriteData(id, false, compressed(t, make([]byte, 500<<10))) // the client may be gone
		p.status(id, "0")
	})
	asked = 0
	if answer, err := c.Invoke(t.Context(), r); err != nil || len(answer) != 500<<10 || asked != 1 {
		t.Errorf("Invoke() of what is compressed = %d bytes, %v, asked for %d times, want 500 KiB and once", len(answer), err, asked)
	}
}
