package grpcwire_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpcgzip "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// compressed returns a gzip-compressed message, with a prefix that says so.
func compressed(t *testing.T, message []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(message); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return slices.Concat([]byte{1}, binary.BigEndian.AppendUint32(nil, uint32(b.Len())), b.Bytes())
}

// TestAnAnswerThatIsCompressedIsRead uses a server that compresses although nobody asked for it, as grpcio does if its application wants.
func TestAnAnswerThatIsCompressedIsRead(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	for name, test := range map[string]struct {
		encoding string
		message  []byte
		want     codes.Code
	}{
		"by gzip":                  {"gzip", compressed(t, hello[5:]), codes.OK},
		"not, though it might be":  {"gzip", hello, codes.OK},
		"by gzip, it does not say": {"", compressed(t, hello[5:]), codes.Unimplemented},
		"by something else":        {"deflate", compressed(t, hello[5:]), codes.Unimplemented},
		"by no gzip":               {"gzip", append([]byte{1}, hello[1:]...), codes.Internal},
		"by half":                  {"gzip", half(compressed(t, hello[5:])), codes.Internal},
		"to almost nothing":        {"gzip", compressed(t, make([]byte, limit+1)), codes.ResourceExhausted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := answering(t, func(p *peer, id uint32) {
				p.head(id, false, ":status", "200", "content-type", "application/grpc", "grpc-encoding", test.encoding)
				_ = p.WriteData(id, false, test.message) // the client may be gone
				p.status(id, "0")
			})
			r := ask(t, echo, "hello")
			r.MaxBytes = limit
			if answer, err := c.Invoke(t.Context(), r); status.Code(err) != test.want || err == nil && !bytes.Equal(answer, hello[5:]) {
				t.Errorf("Invoke() = %q, %v, want %v", answer, err, test.want)
			}
			var all []byte
			err := c.Stream(t.Context(), r, func(answer []byte) error {
				all = append(all, answer...)
				return nil
			})
			if status.Code(err) != test.want || err == nil && !bytes.Equal(all, hello[5:]) {
				t.Errorf("Stream() = %q, %v, want %v", all, err, test.want)
			}
		})
	}
}

// TestAnAnswerBeforeItsHeaderIsAnError uses a server that sends the header, with the compression, only after the message, which the client may be reading by then.
func TestAnAnswerBeforeItsHeaderIsAnError(t *testing.T) {
	t.Parallel()
	for name, message := range map[string][]byte{"compressed": compressed(t, hello[5:]), "as it is": hello} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := answering(t, func(p *peer, id uint32) {
				_ = p.WriteData(id, false, message) // the client may be gone
				p.head(id, false, ":status", "200", "content-type", "application/grpc", "grpc-encoding", "gzip")
				p.status(id, "0")
			})
			err := c.Stream(t.Context(), ask(t, echo, "hello"), func([]byte) error { return nil })
			if status.Code(err) != codes.Internal {
				t.Errorf("Stream() = %v, want Internal", err)
			}
		})
	}
}

// half returns a compressed message that is cut off, with the correct length.
func half(message []byte) []byte {
	message = message[:len(message)/2]
	binary.BigEndian.PutUint32(message[1:], uint32(len(message)-5))
	return message
}

// TestAClientMayBeginToCompress uses a client that compresses its first call, which grpc-go then serves, or a later one.
func TestAClientMayBeginToCompress(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	for name, calls := range map[string][][]grpc.CallOption{
		"at once":         {{grpc.UseCompressor(grpcgzip.Name)}},
		"later":           {nil, {grpc.UseCompressor(grpcgzip.Name)}},
		"at once, or not": {{grpc.UseCompressor(grpcgzip.Name)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, addr)
			for _, options := range calls {
				resp := &wrapperspb.BytesValue{}
				if err := conn.Invoke(t.Context(), echo, text("hello"), resp, options...); err != nil || string(resp.GetValue()) != "hello" {
					t.Errorf("Echo() = %q, %v, want the same", resp.GetValue(), err)
				}
				s, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, chat, options...)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.SendMsg(text("hello")); err != nil {
					t.Errorf("SendMsg() = %v, want no error", err)
				}
				if err := s.RecvMsg(resp); err != nil || string(resp.GetValue()) != "hello" {
					t.Errorf("Chat() = %q, %v, want the same", resp.GetValue(), err)
				}
			}
		})
	}
}

// TestManyMayCompressAtATime makes more concurrent calls than are decompressed at a time.
func TestManyMayCompressAtATime(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	conn := dial(t, addr)
	if err := conn.Invoke(t.Context(), echo, text("hello"), &wrapperspb.BytesValue{}); err != nil {
		t.Fatalf("Echo() = %v, want no error", err)
	}
	var calls sync.WaitGroup
	for range 100 {
		calls.Go(func() {
			resp := &wrapperspb.BytesValue{}
			if err := conn.Invoke(t.Context(), echo, text(strings.Repeat("x", 100_000)), resp, grpc.UseCompressor(grpcgzip.Name)); err != nil || len(resp.GetValue()) != 100_000 {
				t.Errorf("Echo() = %d bytes, %v, want the same", len(resp.GetValue()), err)
			}
		})
	}
	calls.Wait()
}
