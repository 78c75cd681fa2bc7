package grpcwire_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/grpcwire"
)

var errReset = errors.New("reset by peer")

// closedConn is the connection to a server that has closed it: the header of a call cannot be written.
type closedConn struct {
	net.Conn
	tried chan struct{} // closed when that was tried
}

func (c closedConn) Write(p []byte) (int, error) {
	if begins(bytes.TrimPrefix(p, []byte(http2.ClientPreface))) {
		close(c.tried)
		return 0, errReset
	}
	return c.Conn.Write(p)
}

// begins reports whether a call begins in frames.
func begins(frames []byte) bool {
	for f := http2.NewFramer(nil, bytes.NewReader(frames)); ; {
		frame, err := f.ReadFrame()
		if err != nil {
			return false
		}
		if frame.Header().Type == http2.FrameHeaders {
			return true
		}
	}
}

// TestWhatAServerSaidBeforeItLeftIsRead has servers close their connection while a call is being sent, and say something before.
func TestWhatAServerSaidBeforeItLeftIsRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		say  func(p *peer)
		want codes.Code
	}{
		"that it did not begin the call": {func(p *peer) { _ = p.WriteGoAway(0, http2.ErrCodeNo, nil) }, codes.OK}, // but on the next connection
		"its answer":                     {func(p *peer) { p.answer(1); p.status(1, "5") }, codes.NotFound},
		"nothing":                        {func(*peer) {}, codes.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dials, tried := 0, make(chan struct{})
				c := grpcwire.NewClient(func(context.Context) (net.Conn, error) {
					ours, theirs := net.Pipe()
					if dials++; dials > 1 {
						go answerAll(t, buffered(theirs), func(p *peer, id uint32) { p.answer(id); p.status(id, "0") })
						return ours, nil
					}
					go leaveAfter(t, theirs, tried, test.say)
					return closedConn{ours, tried}, nil
				}, agentURL)
				defer c.Close()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_, err := c.Invoke(ctx, ask(t, echo, "hello"))
				if status.Code(err) != test.want {
					t.Errorf("Invoke() = %v, want %v", err, test.want)
				}
				if name == "nothing" && !strings.Contains(err.Error(), errReset.Error()) {
					t.Errorf("Invoke() = %v, want why nothing could be sent", err)
				}
			})
		})
	}
}

// leaveAfter greets, and says something once tried is closed and the client has seen that.
func leaveAfter(t *testing.T, conn net.Conn, tried <-chan struct{}, say func(*peer)) {
	t.Helper()
	p := &peer{Framer: http2.NewFramer(conn, nil), t: t, conn: conn}
	p.AllowIllegalWrites = true
	p.enc = hpack.NewEncoder(&p.buf)
	go func() { _, _ = io.Copy(io.Discard, conn) }()
	p.must(0, p.WriteSettings())
	<-tried
	synctest.Wait()
	say(p)
	_ = conn.Close()
}
