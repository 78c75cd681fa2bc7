package rpcserver_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/test/bufconn"

	"github.com/quorate/quorate/platform/rpcserver"
)

// TestAClientMayPingEveryTenSeconds has one do so that makes no call, as keepalive is set most often, and whose pings come a little early.
func TestAClientMayPingEveryTenSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := options(t, io.Discard)
		_, _ = o.GRPCListener.Close(), o.HTTPListener.Close() // time stands still while a network is waited for
		l := bufconn.Listen(1 << 10)
		o.GRPCListener, o.HTTPListener = l, nil
		s, err := rpcserver.New(o)
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		conn, err := l.DialContext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
			t.Fatal(err)
		}
		framer := http2.NewFramer(conn, conn)
		if err := framer.WriteSettings(); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			<-time.After(10*time.Second - 10*time.Millisecond)
			if err := framer.WritePing(false, [8]byte{1}); err != nil {
				t.Fatalf("WritePing() = %v, want no error", err)
			}
			if said := untilAnswered(framer); said != "" {
				t.Fatalf("the server answers a ping with %s, want an answer", said)
			}
		}
		_ = conn.Close() // the server sees it
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v when it is stopped, want no error", err)
		}
	})
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
