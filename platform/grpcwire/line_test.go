package grpcwire_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
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

// narrow is a server that takes a number of calls at a time, and answers each when it is told to.
type narrow struct {
	client *grpcwire.Client
	calls  chan narrowCall
	leave  chan struct{} // closed for the server to end the first connection
	change chan http2.Setting
}

type narrowCall struct {
	said   string
	answer func()
}

// newNarrow runs in a bubble of synctest.
func newNarrow(t *testing.T, most uint32) *narrow {
	t.Helper()
	n := &narrow{calls: make(chan narrowCall, 1000), leave: make(chan struct{}), change: make(chan http2.Setting)}
	dials := 0
	n.client = grpcwire.NewClient(func(context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		if dials++; dials == 1 {
			go func() { <-n.leave; _ = theirs.Close() }()
		}
		go n.serve(t, buffered(theirs), most)
		return ours, nil
	}, agentURL)
	return n
}

func (n *narrow) serve(t *testing.T, conn net.Conn, most uint32) {
	t.Helper()
	var mu sync.Mutex // of writing
	first := true
	replyAll(t, conn, func(p *peer, f http2.Frame) {
		mu.Lock()
		defer mu.Unlock()
		if first {
			first = false
			_ = p.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: most}) // the client may be gone
			go func() {
				for s := range n.change {
					mu.Lock()
					_ = p.WriteSettings(s)
					mu.Unlock()
				}
			}()
		}
		if f, ok := f.(*http2.DataFrame); ok {
			id := f.StreamID
			n.calls <- narrowCall{string(f.Data()[len(hello)-len("hello"):]), func() {
				mu.Lock()
				defer mu.Unlock()
				p.answer(id)
				p.status(id, "0")
			}}
		}
	})
}

// watched is a context that counts how often somebody looks whether it is done.
type watched struct {
	context.Context //nolint:containedctx // it is one
	looks           *atomic.Int64
}

func (c watched) Err() error {
	c.looks.Add(1)
	return c.Context.Err()
}

// TestCallsHaveTheirTurnsInOrder has a server take two calls at a time, and many wait.
func TestCallsHaveTheirTurnsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most, calls = 2, 200
		n := newNarrow(t, most)
		defer n.client.Close()
		defer close(n.leave)
		defer close(n.change)
		var looks atomic.Int64
		answered := make(chan error, calls)
		var want, got []string
		for i := range calls {
			want = append(want, strconv.Itoa(i))
			r := ask(t, echo, want[i])
			go func() {
				_, err := n.client.Invoke(watched{t.Context(), &looks}, r)
				answered <- err
			}()
			synctest.Wait()
		}
		for range calls {
			c := <-n.calls
			got = append(got, c.said)
			synctest.Wait()
			if len(n.calls) > most-1 {
				t.Fatalf("%d calls are made at a time, want %d", len(n.calls)+1, most)
			}
			c.answer()
			if err := <-answered; err != nil {
				t.Errorf("Invoke() = %v, want the answer", err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the calls came in the order %q, want that in which they were made", got)
		}
		if each := looks.Load() / calls; each > 10 {
			t.Errorf("each call was woken some %d times, want that only the next one is", each)
		}
	})
}

// TestALineMovesWheneverItCan has calls wait for a server that then takes more, and others that leave the line, or whose connection ends.
func TestALineMovesWheneverItCan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNarrow(t, 1)
		defer n.client.Close()
		defer close(n.change)
		ended := make(chan error, 10)
		call := func(ctx context.Context, said string) {
			r := ask(t, echo, said)
			go func() {
				_, err := n.client.Invoke(ctx, r)
				ended <- err
			}()
			synctest.Wait()
		}
		next := func(want string) narrowCall {
			t.Helper()
			synctest.Wait()
			select {
			case c := <-n.calls:
				if c.said != want {
					t.Errorf("call %q came, want %q", c.said, want)
				}
				return c
			default:
				t.Fatalf("call %q waits", want)
			}
			return narrowCall{}
		}
		leaves, leave := context.WithCancel(t.Context())
		call(t.Context(), "a")
		next("a")
		call(leaves, "b")
		call(t.Context(), "c")
		n.change <- http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0}
		if leave(); status.Code(<-ended) != codes.Canceled {
			t.Error("a call that leaves the line is not canceled")
		}
		n.change <- http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 2}
		c := next("c")
		call(t.Context(), "d")
		call(t.Context(), "e")
		c.answer()
		if err := <-ended; err != nil {
			t.Errorf("Invoke(c) = %v, want the answer", err)
		}
		next("d")
		close(n.leave) // "a" and "d" were begun, and "e" was not
		for range 2 {
			if err := <-ended; status.Code(err) != codes.Unavailable || errors.Is(err, context.Canceled) {
				t.Errorf("Invoke() of a call whose connection ends = %v, want Unavailable", err)
			}
		}
		next("e").answer()
		if err := <-ended; err != nil {
			t.Errorf("Invoke(e) = %v, want the answer of another connection", err)
		}
	})
}

// TestALineOutlivesItsConnections has a server take one call at a time, and few on a connection, as proxies do: nginx ends one after 1,000.
func TestALineOutlivesItsConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const calls, each = 40, 2
		c := grpcwire.NewClient(func(context.Context) (net.Conn, error) {
			ours, theirs := net.Pipe()
			conn := buffered(theirs)
			go answerAll(t, conn, func(p *peer, id uint32) {
				if id == 2*each-1 {
					_ = p.WriteGoAway(id, http2.ErrCodeNo, nil) // the client may be gone
				}
				p.answer(id)
				p.status(id, "0")
			})
			return ours, http2.NewFramer(conn, nil).WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 1})
		}, agentURL)
		defer c.Close()
		ended := make(chan error, calls)
		for range calls {
			r := ask(t, echo, "hello")
			go func() {
				_, err := c.Invoke(t.Context(), r)
				ended <- err
			}()
		}
		for range calls {
			if err := <-ended; err != nil {
				t.Errorf("Invoke() = %v, want the answer over another connection", err)
			}
		}
	})
}

// TestACallThatDoesNotWaitIsToldSo has a server take one call at a time, and calls that wait for that or do not.
func TestACallThatDoesNotWaitIsToldSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNarrow(t, 1)
		defer n.client.Close()
		defer close(n.leave)
		defer close(n.change)
		ended := make(chan error, 2)
		call := func(noWait bool) {
			r := ask(t, echo, "hello")
			r.NoWait = noWait
			go func() {
				_, err := n.client.Invoke(t.Context(), r)
				ended <- err
			}()
			synctest.Wait()
		}
		call(true)
		first := <-n.calls
		for range 2 { // the second while another one waits
			call(true)
			if err := <-ended; !errors.Is(err, grpcwire.ErrFull) || !errors.Is(err, grpcwire.ErrNotBegun) || status.Code(err) != codes.Unavailable {
				t.Errorf("Invoke() = %v, want Unavailable, since the server is full", err)
			}
			call(false)
		}
		first.answer()
		for range 2 {
			(<-n.calls).answer()
		}
		for range 3 {
			if err := <-ended; err != nil {
				t.Errorf("Invoke() = %v, want the answer", err)
			}
		}
	})
}

// TestAServerThatSetsNoLimitTakesAnyNumberOfCalls has each call wait for all others.
func TestAServerThatSetsNoLimitTakesAnyNumberOfCalls(t *testing.T) {
	t.Parallel()
	const calls = 300
	var begun atomic.Int64
	together := make(chan struct{})
	c := servedByGRPC(t, grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if begun.Add(1) == calls {
			close(together)
		}
		select {
		case <-together:
			return next(ctx, req)
		case <-time.After(20 * time.Second):
			return nil, status.Error(codes.Aborted, "the others have not come")
		}
	}))
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if _, err := said(t, c, "hello"); err != nil {
				t.Errorf("one of %d calls at a time = %v, want no error", calls, err)
			}
		})
	}
	all.Wait()
}
