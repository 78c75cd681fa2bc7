package grpcwire_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/quorate/quorate/platform/grpcwire"
)

// session returns the bytes that a correct client or server sends.
func session(server bool) []byte {
	var out, block bytes.Buffer
	f, enc := http2.NewFramer(&out, nil), hpack.NewEncoder(&block)
	head := func(id uint32, end bool, pairs ...string) {
		block.Reset()
		for i := 0; i < len(pairs); i += 2 {
			_ = enc.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}) // writing to a buffer cannot fail, here and below
		}
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndHeaders: true, EndStream: end, BlockFragment: block.Bytes()})
	}
	_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 16}, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 5})
	_ = f.WriteSettingsAck()
	_ = f.WriteWindowUpdate(0, 1<<20)
	_ = f.WritePing(false, [8]byte{1})
	if server {
		head(1, false, ":status", "200", "content-type", "application/grpc")
		_ = f.WriteData(1, false, hello)
		head(1, true, "grpc-status", "0", "grpc-message", "%41")
		_ = f.WriteGoAway(1, http2.ErrCodeNo, nil)
		return out.Bytes()
	}
	for id, path := range map[uint32]string{1: echo, 3: count, 5: chat} {
		head(id, false, ":method", "POST", ":scheme", "http", ":path", path, ":authority", "x", "content-type", "application/grpc", "grpc-timeout", "1S", "x-bin", "AA")
		_ = f.WriteData(id, id != 5, hello)
		_ = f.WriteWindowUpdate(id, 100)
	}
	_ = f.WriteRSTStream(5, http2.ErrCodeCancel)
	return out.Bytes()
}

// FuzzServer sends arbitrary bytes to a server, which must end that connection and nothing else.
func FuzzServer(f *testing.F) {
	f.Add(session(false))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	s := grpcwire.NewServer(grpcwire.Options{
		Logger: slog.New(slog.DiscardHandler), MaxRequest: 1 << 16, MaxStreams: 4, Workers: 2, Connect: time.Second, PingAfter: time.Minute, PingTimeout: time.Minute,
	})
	s.RegisterService(&echoService, nil)
	f.Fuzz(func(t *testing.T, said []byte) {
		over := make(chan struct{})
		ours, theirs := net.Pipe()
		go func() { defer close(over); s.Serve(ours) }()
		talk(theirs, append([]byte(http2.ClientPreface), said...))
		select {
		case <-over:
		case <-time.After(time.Minute):
			t.Error("Serve() goes on after its client has left")
		}
	})
}

// FuzzClient answers a client's call with arbitrary bytes.
func FuzzClient(f *testing.F) {
	f.Add(session(true))
	f.Fuzz(func(t *testing.T, said []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := grpcwire.NewClient(func(context.Context) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go talk(theirs, said)
			return ours, nil
		}, agentURL)
		defer c.Close()
		r := &grpcwire.Request{Method: echo, Message: []byte("hello"), MaxBytes: 1 << 17, Large: func() error { return nil }}
		if answer, err := c.Invoke(ctx, r); err == nil && len(answer) > r.MaxBytes {
			t.Errorf("Invoke() = %d bytes, want no more than are taken", len(answer))
		}
		if ctx.Err() != nil {
			t.Error("Invoke() goes on after its server has left")
		}
	})
}

// talk sends bytes, reads everything that is sent back, and disconnects.
func talk(conn net.Conn, what []byte) {
	go func() { _, _ = io.Copy(io.Discard, conn) }()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second)) // ends the exchange if the other side no longer reads
	_, _ = conn.Write(what)
	_ = conn.Close()
}

// FuzzStatusMessage shows that every message survives a trailer.
func FuzzStatusMessage(f *testing.F) {
	f.Add("näh: 100 %\n")
	f.Add("%41%4")
	f.Fuzz(func(t *testing.T, s string) {
		encoded := grpcwire.PercentEncode(s)
		for _, c := range []byte(encoded) {
			if c < ' ' || c > '~' {
				t.Errorf("PercentEncode(%q) = %q, want printable characters", s, encoded)
			}
		}
		if got, want := grpcwire.PercentDecode(encoded), string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD"))); got != want {
			t.Errorf("PercentDecode(%q) = %q, want %q", encoded, got, want)
		}
		grpcwire.PercentDecode(s)
	})
}

// FuzzTimeout shows that a timeout that is sent in a header never becomes shorter, and not much longer.
func FuzzTimeout(f *testing.F) {
	f.Add(int64(time.Second))
	f.Add(int64(-1))
	f.Add(int64(1<<63 - 1))
	f.Fuzz(func(t *testing.T, n int64) {
		d := time.Duration(n)
		s, back, err := grpcwire.Timeouts(d)
		if err != nil || back < d || d > 0 && float64(back) > 1.001*float64(d)+float64(time.Hour) {
			t.Errorf("a timeout of %v is written %q and read %v, %v", d, s, back, err)
		}
	})
}
