package grpcwire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/grpcwire"
)

// TestAServerThatDoesNotGreetIsGivenUp has a server that accepts a connection and says nothing, as one that hangs does.
func TestAServerThatDoesNotGreetIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, closed := time.Now(), make(chan time.Duration, 1)
		c := grpcwire.NewClient(func(context.Context) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go func() {
				_, _ = io.Copy(io.Discard, theirs)
				closed <- time.Since(begun)
			}()
			return ours, nil
		}, agentURL)
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Invoke(ctx, ask(t, echo, "hello"))
		if status.Code(err) != codes.DeadlineExceeded || !errors.Is(err, grpcwire.ErrNotBegun) || time.Since(begun) != time.Second {
			t.Errorf("Invoke() = %v after %s, want DeadlineExceeded after a second, without a connection", err, time.Since(begun))
		}
		if got, want := <-closed, 20*time.Second; got != want {
			t.Errorf("the connection was closed after %s, want %s", got, want)
		}
	})
}

// TestAConnectionThatIsSilentTakesNoMoreCalls has a server go away without a word while a stream is open, and come back.
func TestAConnectionThatIsSilentTakesNoMoreCalls(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{"a request": "hello", "a request that does not get through": strings.Repeat("x", 1<<20)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			silence(t, request)
		})
	}
}

func silence(t *testing.T, request string) {
	t.Helper()
	var dials atomic.Int32
	reached := make(chan struct{}, 1)
	c := accepting(t, func(conn net.Conn, number int) {
		dials.Add(1)
		answerWithoutEnd(t, conn, number == 1, reached)
	})
	open, answered := make(chan error, 1), make(chan struct{})
	go func() {
		open <- c.Stream(t.Context(), ask(t, count, "1"), func([]byte) error { close(answered); return nil })
	}()
	<-answered
	silent := overdue{t.Context(), make(chan struct{})}
	go func() { <-reached; close(silent.over) }()
	if _, err := c.Invoke(silent, ask(t, echo, request)); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("Invoke() = %v, want DeadlineExceeded", err)
	}
	for range 2 {
		slow := overdue{t.Context(), make(chan struct{})}
		end := sync.OnceFunc(func() { close(slow.over) })
		hangs := time.AfterFunc(time.Minute, end)
		err := c.Stream(slow, ask(t, count, "1"), func([]byte) error { end(); return nil })
		hangs.Stop()
		if status.Code(err) != codes.DeadlineExceeded || dials.Load() != 2 {
			t.Errorf("Stream() = %v over connection %d, want an answer that goes on over the second", err, dials.Load())
		}
	}
	if d := c.Idle(); d != 0 {
		t.Errorf("Idle() = %s while the first call goes on, want 0", d)
	}
	c.Close()
	select {
	case err := <-open:
		if status.Code(err) != codes.Unavailable {
			t.Errorf("Stream() over the first connection = %v, want Unavailable once the client is closed", err)
		}
	case <-time.After(time.Minute):
		t.Error("the stream over the first connection goes on a minute after the client was closed")
	}
}

// answerWithoutEnd answers calls on a connection and does not end the answers. On the first connection the second call gets none; reached is told of it.
func answerWithoutEnd(t *testing.T, conn net.Conn, first bool, reached chan<- struct{}) {
	t.Helper()
	const second = 3
	replyAll(t, conn, func(p *peer, f http2.Frame) {
		_, begins := f.(*http2.MetaHeadersFrame)
		switch data, ok := f.(*http2.DataFrame); {
		case first && f.Header().StreamID == second && begins:
			reached <- struct{}{}
		case ok && data.StreamEnded() && (!first || data.StreamID != second):
			p.answer(data.StreamID)
		}
	})
}

// overdue is a context whose time is over when over is closed.
type overdue struct {
	context.Context //nolint:containedctx // it is one
	over            chan struct{}
}

func (o overdue) Done() <-chan struct{} { return o.over }

func (o overdue) Err() error {
	select {
	case <-o.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestAServerThatEndsEachConnectionIsTriedAFewTimes(t *testing.T) {
	t.Parallel()
	dials := 0
	c := grpcwire.NewClient(func(context.Context) (net.Conn, error) {
		dials++
		ours, theirs := net.Pipe()
		_ = theirs.Close()
		return ours, nil
	}, agentURL)
	defer c.Close()
	if _, err := c.Invoke(t.Context(), ask(t, echo, "hello")); status.Code(err) != codes.Unavailable || dials != 5 {
		t.Errorf("Invoke() = %v after %d connections, want Unavailable after 5", err, dials)
	}
}

// TestAServerOfHTTP1IsNotTriedAgain has a server answer as those of HTTP/1.1 do to what they do not understand.
func TestAServerOfHTTP1IsNotTriedAgain(t *testing.T) {
	t.Parallel()
	var dials atomic.Int32
	c := accepting(t, func(conn net.Conn, _ int) {
		dials.Add(1)
		_, _ = io.ReadFull(conn, make([]byte, len(http2.ClientPreface))) // the client may be gone
		_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
		_, _ = io.Copy(io.Discard, conn)
	})
	_, err := c.Invoke(t.Context(), ask(t, echo, "hello"))
	if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "does not speak HTTP/2") || dials.Load() != 1 {
		t.Errorf("Invoke() = %v after %d connections, want what is wrong after one", err, dials.Load())
	}
}

func TestACallThatIsAlwaysRefusedIsMadeAFewTimes(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	c := replying(t, func(p *peer, f http2.Frame) {
		if f, ok := f.(*http2.DataFrame); ok && f.StreamEnded() {
			calls.Add(1)
			_ = p.WriteRSTStream(f.StreamID, http2.ErrCodeRefusedStream)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := c.Invoke(ctx, ask(t, echo, "hello")); status.Code(err) != codes.Unavailable || !errors.Is(err, grpcwire.ErrNotBegun) || calls.Load() != 5 {
		t.Errorf("Invoke() = %v after %d calls, want Unavailable after 5, and that none was begun", err, calls.Load())
	}
}

func TestAStreamThatIsSilentEndsWithItsContext(t *testing.T) {
	t.Parallel()
	c := replying(t, func(p *peer, f http2.Frame) {
		if f, ok := f.(*http2.DataFrame); ok && f.StreamEnded() {
			p.begin(f.StreamID)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	r := ask(t, count, "1")
	r.Begun = cancel
	if err := c.Stream(ctx, r, func([]byte) error { return nil }); status.Code(err) != codes.Canceled {
		t.Errorf("Stream() = %v, want Canceled", err)
	}
}

// TestACallThatWaitsForItsTurnEndsInTime has a server that takes one call at a time.
func TestACallThatWaitsForItsTurnEndsInTime(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 2)
	c := servedByGRPC(t, grpc.MaxConcurrentStreams(1), grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		begun <- struct{}{}
		return next(ctx, req)
	}))
	first, end := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := c.Invoke(first, ask(t, echo, "wait "))
		ended <- err
	}()
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := c.Invoke(ctx, ask(t, echo, "hello"))
	if status.Code(err) != codes.DeadlineExceeded || !errors.Is(err, grpcwire.ErrNotBegun) || !strings.Contains(err.Error(), "takes 1 at a time") || len(begun) > 0 {
		t.Errorf("Invoke() of a second call = %v, and %d began, want DeadlineExceeded without, and why", err, len(begun))
	}
	if got := c.Idle(); got != 0 {
		t.Errorf("Idle() during a call = %s, want 0", got)
	}
	end()
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("Invoke() of the first call = %v, want Canceled", err)
	}
	for give := time.Now().Add(time.Minute); c.Idle() == 0; runtime.Gosched() {
		if time.Now().After(give) {
			t.Fatal("Idle() after all calls = 0, want the time since")
		}
	}
}
