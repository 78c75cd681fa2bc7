package grpcwire_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
)

const window = 64 << 10 // of an answer

// sized returns a message of a size with its prefix.
func sized(size int) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(size)), make([]byte, size)...)
}

// TestALargeAnswerIsAskedForFirst has a server note what it is told, and send more than the window only when there is room.
func TestALargeAnswerIsAskedForFirst(t *testing.T) {
	t.Parallel()
	var happened []string // by turns of client and server
	c := replying(t, func(p *peer, f http2.Frame) {
		const frame = 16 << 10
		message := sized(100 << 10)
		switch f := f.(type) {
		case *http2.DataFrame:
			p.begin(f.StreamID)
			for part := range slices.Chunk(message[:window], frame) {
				_ = p.WriteData(f.StreamID, false, part) // the client may be gone
			}
		case *http2.WindowUpdateFrame:
			if f.StreamID == 0 {
				return
			}
			happened = append(happened, "there is room")
			for part := range slices.Chunk(message[window:], frame) {
				_ = p.WriteData(f.StreamID, false, part) // as above
			}
			p.status(f.StreamID, "0")
		}
	})
	r := ask(t, echo, "hello")
	r.Large = func() error { happened = append(happened, "asked"); return nil }
	answer, err := c.Invoke(t.Context(), r)
	if want := []string{"asked", "there is room"}; err != nil || len(answer) != 100<<10 || !slices.Equal(happened, want) {
		t.Errorf("Invoke() = %d bytes, %v, after %q, want 100 KiB after %q", len(answer), err, happened, want)
	}
	tooMuch := errors.New("too much")
	r.Large = func() error { return tooMuch }
	if _, err := c.Invoke(t.Context(), r); err != tooMuch { //nolint:errorlint // as it is
		t.Errorf("Invoke() of what is too much = %v, want the error as it is", err)
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
