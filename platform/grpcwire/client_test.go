package grpcwire_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/quorate/quorate/platform/grpcwire"
)

// servedByGRPC runs grpc-go's server and returns a Client for it.
func servedByGRPC(t *testing.T, options ...grpc.ServerOption) *grpcwire.Client {
	t.Helper()
	l, s := listen(t), grpc.NewServer(options...)
	s.RegisterService(&echoService, nil)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return clientOf(t, l.Addr().String())
}

func clientOf(t *testing.T, addr string) *grpcwire.Client {
	t.Helper()
	c := grpcwire.NewClient(func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", addr) }, agentURL)
	t.Cleanup(c.Close)
	return c
}

func ask(t *testing.T, method, s string, pairs ...string) *grpcwire.Request {
	t.Helper()
	message, err := proto.Marshal(text(s))
	if err != nil {
		t.Fatal(err)
	}
	return &grpcwire.Request{Method: method, Metadata: pairs, Message: message, MaxBytes: 32 << 20}
}

// said calls Echo and returns the response.
func said(t *testing.T, c *grpcwire.Client, s string, pairs ...string) (string, error) {
	t.Helper()
	answer, err := c.Invoke(t.Context(), ask(t, echo, s, pairs...))
	if err != nil {
		return "", err
	}
	m := &wrapperspb.BytesValue{}
	if err := proto.Unmarshal(answer, m); err != nil {
		t.Fatal(err)
	}
	return string(m.GetValue()), nil
}

func TestGRPCGoServerCanBeCalled(t *testing.T) {
	t.Parallel()
	c := servedByGRPC(t)
	for _, want := range []string{"", "hello", strings.Repeat("x", 3<<20)} {
		if got, err := said(t, c, want); err != nil || got != want {
			t.Errorf("Echo(%d bytes) = %d bytes, %v, want the same", len(want), len(got), err)
		}
	}
	if got, err := said(t, c, "give 20000000"); err != nil || len(got) != 20_000_000 {
		t.Errorf("Echo() = %d bytes, %v, want 20 MB", len(got), err)
	}
	_, err := said(t, c, "give 40000000")
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("Echo() of more than is taken = %v, want ResourceExhausted", err)
	}
	if _, err = said(t, c, "fail näh: 100 %"); status.Convert(err).Message() != "näh: 100 %" || len(status.Convert(err).Details()) != 1 {
		t.Errorf("Echo(fail) = %v, want the server's error with its details", err)
	}
	if _, err := c.Invoke(t.Context(), ask(t, "/test.v1.Echo/Nothing", "")); status.Code(err) != codes.Unimplemented {
		t.Errorf("Nothing() = %v, want Unimplemented", err)
	}
}

func TestAStreamIsReadAsFastAsItsReaderReads(t *testing.T) {
	t.Parallel()
	c := servedByGRPC(t)
	for _, test := range []struct {
		times, size int
		code        codes.Code
	}{{0, 0, codes.OK}, {1000, 10, codes.OK}, {13, 10, codes.DataLoss}, {40, 1 << 20, codes.OK}} {
		n := 0
		err := c.Stream(t.Context(), ask(t, count, fmt.Sprintf("%d %d", test.times, test.size)), func([]byte) error {
			if n++; n == 1 { // meanwhile other calls are answered
				_, err := said(t, c, "hello")
				return err
			}
			return nil
		})
		if n != test.times || status.Code(err) != test.code {
			t.Errorf("Count(%d times %d bytes) = %d, %v, want all and %v", test.times, test.size, n, err, test.code)
		}
	}
	own := errors.New("enough")
	if err := c.Stream(t.Context(), ask(t, count, "1000000 100"), func([]byte) error { return own }); err != own { //nolint:errorlint // as it is
		t.Errorf("Count() = %v, want the error of who reads", err)
	}
}

func TestACallIsGivenUpWithItsContext(t *testing.T) {
	t.Parallel()
	c := servedByGRPC(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Invoke(ctx, ask(t, echo, "wait ")); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("Invoke() = %v, want DeadlineExceeded", err)
	}
	ctx, giveUp := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, giveUp)
	if _, err := c.Invoke(ctx, ask(t, echo, "wait ")); status.Code(err) != codes.Canceled {
		t.Errorf("Invoke() = %v, want Canceled", err)
	}
	if got, err := said(t, c, "hello"); err != nil || got != "hello" {
		t.Errorf("Echo() after it = %q, %v, want the same", got, err)
	}
}

func TestNoMoreCallsAtATimeThanTheServerTakes(t *testing.T) {
	t.Parallel()
	c := servedByGRPC(t, grpc.MaxConcurrentStreams(3))
	var all sync.WaitGroup
	for n := range 60 {
		all.Go(func() {
			want := strconv.Itoa(n)
			if got, err := said(t, c, want); err != nil || got != want {
				t.Errorf("Echo(%q) = %q, %v, want the same", want, got, err)
			}
		})
	}
	all.Wait()
}

func TestAServerThatLeavesEndsNoCall(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(l net.Listener) (leave func()){
		"ours": func(l net.Listener) func() {
			s := grpcwire.NewServer(grpcwire.Options{MaxRequest: maxRequest, MaxStreams: 100, Connect: time.Second, PingAfter: time.Minute, PingTimeout: time.Minute})
			s.RegisterService(&echoService, nil)
			go func() { _, _ = s.Front(l).Accept() }()
			return func() {
				if err := s.Shutdown(context.WithoutCancel(t.Context())); err != nil {
					t.Errorf("Shutdown() = %v, want no error", err)
				}
			}
		},
		"grpc-go's": func(l net.Listener) func() {
			s := grpc.NewServer()
			s.RegisterService(&echoService, nil)
			go func() { _ = s.Serve(l) }()
			return s.GracefulStop
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testLeaving(t, start)
		})
	}
}

// testLeaving makes calls while servers are started and shut down one after the other.
func testLeaving(t *testing.T, start func(l net.Listener) (leave func())) {
	t.Helper()
	var addr atomic.Value
	run := func() func() {
		l := listen(t)
		leave := start(l)
		addr.Store(l.Addr().String())
		return leave
	}
	leave := run()
	c := grpcwire.NewClient(func(ctx context.Context) (net.Conn, error) {
		for {
			now := addr.Load()
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", fmt.Sprint(now))
			if err == nil || now == addr.Load() { // else the server has just left
				return conn, err
			}
		}
	}, agentURL)
	t.Cleanup(c.Close)
	over := make(chan struct{})
	go func() { // one server after the other
		defer close(over)
		for range 20 {
			<-time.After(30 * time.Millisecond)
			old := leave
			leave = run()
			old()
		}
	}()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for goesOn := true; goesOn; {
				if got, err := said(t, c, "hello"); err != nil || got != "hello" {
					t.Errorf("Echo() = %q, %v, want the same", got, err)
				}
				select {
				case <-over:
					goesOn = false
				default:
				}
			}
		})
	}
	all.Wait()
	c.Close()
	leave()
}

func TestUnreachableServerIsUnavailable(t *testing.T) {
	t.Parallel()
	l := listen(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c := clientOf(t, l.Addr().String())
	_, err := said(t, c, "hello")
	why, ok := errors.AsType[*grpcwire.ConnectError](err)
	if status.Code(err) != codes.Unavailable || !ok || !errors.Is(why.Err, syscall.ECONNREFUSED) {
		t.Errorf("Echo() = %v, want Unavailable, since the connection is refused", err)
	}
	c.Close()
	if _, err := said(t, c, "hello"); status.Code(err) != codes.Canceled {
		t.Errorf("Echo() of a client that is closed = %v, want Canceled", err)
	}
}

func TestClientAndServerSpeakToEachOther(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	c := clientOf(t, addr)
	for _, want := range []string{"", "hello", strings.Repeat("x", maxRequest-16)} {
		if got, err := said(t, c, want, "say", "it"); err != nil || got != want {
			t.Errorf("Echo(%d bytes) = %d bytes, %v, want the same", len(want), len(got), err)
		}
	}
	if got, err := said(t, c, "give 20000000"); err != nil || len(got) != 20_000_000 {
		t.Errorf("Echo() = %d bytes, %v, want 20 MB", len(got), err)
	}
}

func TestACallThatWaitsForAConnectionEndsWithItsClient(t *testing.T) {
	t.Parallel()
	dialing := make(chan struct{})
	c := grpcwire.NewClient(func(ctx context.Context) (net.Conn, error) {
		close(dialing)
		<-ctx.Done()
		return nil, ctx.Err()
	}, agentURL)
	go func() { <-dialing; c.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := c.Invoke(ctx, ask(t, echo, "hello")); status.Code(err) != codes.Canceled || !errors.Is(err, grpcwire.ErrNotBegun) {
		t.Errorf("Invoke() = %v, want Canceled, and that the call was not begun", err)
	}
}
