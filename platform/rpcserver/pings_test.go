package rpcserver_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/test/bufconn"

	"github.com/quorate/quorate/platform/rpcserver"
)

// TestAClientMayPingEveryTenSeconds has one do so that makes no call, as keepalive is set most often, and whose pings come a little early.
func TestAClientMayPingEveryTenSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		framer := greeted(t)
		for range 20 {
			<-time.After(10*time.Second - 10*time.Millisecond)
			if err := framer.WritePing(false, [8]byte{1}); err != nil {
				t.Fatalf("WritePing() = %v, want no error", err)
			}
			if said := untilAnswered(framer); said != "" {
				t.Fatalf("the server answers a ping with %s, want an answer", said)
			}
		}
	})
}

// TestASilentStreamIsNotSilentForAMinute has a proxy wait for frames of calls that take long: nginx cuts a call off when none has come for 60 seconds.
func TestASilentStreamIsNotSilentForAMinute(t *testing.T) {
	t.Parallel()
	for name, method := range map[string]string{"of grpc-go": "/grpc.health.v1.Health/Watch", "of a direct service": getBook} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				framer := greeted(t)
				var block bytes.Buffer
				_ = hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":path", Value: method}) // a buffer takes all
				if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true}); err != nil {
					t.Fatal(err)
				}
				for begun, last := time.Now(), time.Now(); time.Since(begun) < 10*time.Minute; last = time.Now() {
					frame, err := framer.ReadFrame()
					if err != nil {
						t.Fatalf("ReadFrame() = %v after %s, want that the connection goes on", err, time.Since(begun))
					}
					if silent := time.Since(last); silent > 55*time.Second {
						t.Fatalf("the server sent nothing for %s, want at most 55s", silent)
					}
					if f, ok := frame.(*http2.PingFrame); ok && !f.IsAck() {
						if err := framer.WritePing(true, f.Data); err != nil {
							t.Fatal(err)
						}
					}
				}
			})
		})
	}
}

// greeted runs a server in a bubble of synctest until the test ends, and returns a client's end of a connection that has said its settings.
func greeted(t *testing.T) *http2.Framer {
	t.Helper()
	o := options(t, io.Discard)
	_, _ = o.GRPCListener.Close(), o.HTTPListener.Close() // time stands still while a network is waited for
	l := bufconn.Listen(1 << 10)
	o.GRPCListener, o.HTTPListener = l, nil
	s, err := rpcserver.New(o)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	s.GRPC().RegisterService(&libraryService, nil)
	s.Direct().RegisterService(&libraryService, nil)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	conn, err := l.DialContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close() // the server sees it
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v when it is stopped, want no error", err)
		}
	})
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	return framer
}

// untilAnswered reads until a ping is answered; otherwise it says what came instead.
func untilAnswered(framer *http2.Framer) string {
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return err.Error()
		}
		switch f := frame.(type) {
		case *http2.GoAwayFrame:
			return f.ErrCode.String() + " " + string(f.DebugData())
		case *http2.PingFrame:
			if f.IsAck() {
				return ""
			}
		}
	}
}
