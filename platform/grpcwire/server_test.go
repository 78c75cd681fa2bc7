package grpcwire_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/quorate/quorate/platform/grpcwire"
)

func TestGRPCGoClientIsServed(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	conn := dial(t, addr)
	for _, want := range []string{"", "hello", strings.Repeat("x", maxRequest-16)} {
		resp := &wrapperspb.BytesValue{}
		if err := conn.Invoke(t.Context(), echo, text(want), resp); err != nil || string(resp.GetValue()) != want {
			t.Errorf("Echo(%d bytes) = %d bytes, %v, want the same", len(want), len(resp.GetValue()), err)
		}
	}
}

func TestAnErrorKeepsItsDetails(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	err := dial(t, addr).Invoke(t.Context(), echo, text("fail näh: 100 %"), &wrapperspb.BytesValue{})
	if st := status.Convert(err); st.Code() != codes.FailedPrecondition || st.Message() != "näh: 100 %" || len(st.Details()) != 1 {
		t.Errorf("Echo() = %v with %d details, want the handler's error with one", err, len(st.Details()))
	}
}

func TestMetadataGoesBothWays(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	var header, trailer metadata.MD
	ctx := metadata.AppendToOutgoingContext(t.Context(), "say", "a", "say", "b", "raw-bin", "\x00\xff")
	if err := dial(t, addr).Invoke(ctx, echo, text("metadata"), &wrapperspb.BytesValue{}, grpc.Header(&header), grpc.Trailer(&trailer)); err != nil {
		t.Fatalf("Echo() = %v, want no error", err)
	}
	if got := fmt.Sprint(header["said"], header["raw-bin"], trailer["last"]); got != "[a+b] [\x00\xff] [word]" {
		t.Errorf("header and trailer = %q, want what was said", got)
	}
}

// TestLongMetadataGoesBothWays has more than fits into one frame.
func TestLongMetadataGoesBothWays(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	long := strings.Repeat("x", 40_000)
	var header metadata.MD
	ctx := metadata.AppendToOutgoingContext(t.Context(), "say", long)
	if err := dial(t, addr).Invoke(ctx, echo, text("metadata"), &wrapperspb.BytesValue{}, grpc.Header(&header)); err != nil || strings.Join(header["said"], "") != long {
		t.Errorf("Echo() = %d values, %v, want what was said", len(header["said"]), err)
	}
	if _, err := said(t, servedByGRPC(t), "metadata", "say", long); err != nil {
		t.Errorf("Echo() by Client = %v, want no error", err)
	}
}

func TestTooLargeARequestIsRefusedAndTheConnectionGoesOn(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	conn := dial(t, addr)
	err := conn.Invoke(t.Context(), echo, text(strings.Repeat("x", 2*maxRequest)), &wrapperspb.BytesValue{})
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("Echo(too much) = %v, want ResourceExhausted", err)
	}
	if err := conn.Invoke(t.Context(), echo, text("hello"), &wrapperspb.BytesValue{}); err != nil {
		t.Errorf("Echo() after it = %v, want no error", err)
	}
}

func TestAHandlerLearnsThatItsCallerLeft(t *testing.T) {
	t.Parallel()
	begun, left := make(chan struct{}, 1000), make(chan error, 1000) // no handler waits for the test
	_, addr := serve(t, func(o *grpcwire.Options) {
		o.Unary = func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			begun <- struct{}{}
			resp, err := next(ctx, req)
			left <- err
			return resp, err
		}
	})
	conn := dial(t, addr)
	conn.Connect()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		conn.WaitForStateChange(t.Context(), state)
	}
	for late := true; late; { // a busy machine may take longer than that to begin the call
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := conn.Invoke(ctx, echo, text("wait "), &wrapperspb.BytesValue{}); status.Code(err) != codes.DeadlineExceeded {
			t.Fatalf("Echo() = %v, want DeadlineExceeded", err)
		}
		cancel()
		select {
		case <-begun:
			late = false
		default:
		}
	}
	if err := <-left; err == nil {
		t.Error("the handler went on, want its context to end")
	}
	ctx, giveUp := context.WithCancel(t.Context())
	go func() { <-begun; giveUp() }()
	if err := conn.Invoke(ctx, echo, text("wait "), &wrapperspb.BytesValue{}); status.Code(err) != codes.Canceled {
		t.Errorf("Echo() = %v, want Canceled", err)
	}
	if err := <-left; status.Code(err) != codes.Unknown && err == nil {
		t.Errorf("the handler ended with %v, want its context's error", err)
	}
}

// TestWhatOtherClientsSendIsServed has headers that are right, though grpc-go does not send them, and some that are wrong.
func TestWhatOtherClientsSendIsServed(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	p := newPeer(t, addr)
	for n, test := range []struct{ verb, kind, length, want string }{
		{"POST", "application/grpc", "", "status 0"},
		{"POST", "application/grpc+proto", "", "status 0"},
		{"POST", "application/grpc;charset=utf-8", "", "status 0"},
		{"POST", "application/grpc", strconv.Itoa(len(hello)), "status 0"},
		{"POST", "application/grpc", strconv.Itoa(len(hello) + 1), "reset PROTOCOL_ERROR"},
		{"POST", "application/grpc", "five", "reset PROTOCOL_ERROR"},
		{"POST", "application/grpcweb", "", "status 12"},
		{"POST", "application/json", "", "status 12"},
		{"PUT", "application/grpc", "", "status 12"},
	} {
		id := uint32(2*n + 1)
		p.buf.Reset()
		for _, f := range [][2]string{{":method", test.verb}, {":scheme", "http"}, {":path", echo}, {"content-type", test.kind}, {"content-length", test.length}} {
			if f[1] != "" {
				p.must(0, p.enc.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}))
			}
		}
		p.must(0, p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndHeaders: true, BlockFragment: p.buf.Bytes()}))
		p.must(0, p.WriteData(id, true, hello))
		if got := p.end(id); got != test.want {
			t.Errorf("%s of %s with the length %q = %s, want %s", test.verb, test.kind, test.length, got, test.want)
		}
	}
}

func TestAPanicEndsItsCallOnly(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	conn := dial(t, addr)
	if err := conn.Invoke(t.Context(), echo, text("panic hunter2"), &wrapperspb.BytesValue{}); status.Code(err) != codes.Internal || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("Echo(panic) = %v, want Internal and nothing of the panic", err)
	}
	if err := conn.Invoke(t.Context(), echo, text("hello"), &wrapperspb.BytesValue{}); err != nil {
		t.Errorf("Echo() after it = %v, want no error", err)
	}
}

func TestAStreamIsWholeAndInOrder(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	conn := dial(t, addr)
	for _, test := range []struct {
		times, size int
		code        codes.Code
	}{{0, 0, codes.OK}, {1000, 10, codes.OK}, {13, 10, codes.DataLoss}, {50, 300 << 10, codes.OK}} {
		got, err := counted(t.Context(), conn, fmt.Sprintf("%d %d", test.times, test.size))
		if got != test.times || status.Code(err) != test.code {
			t.Errorf("Count(%d times %d bytes) = %d, %v, want all and %v", test.times, test.size, got, err, test.code)
		}
	}
}

// counted returns how many answers came, each in its turn.
func counted(ctx context.Context, conn *grpc.ClientConn, ask string) (n int, err error) {
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, count)
	if err == nil {
		err = s.SendMsg(text(ask))
	}
	if err == nil {
		err = s.CloseSend()
	}
	for ; err == nil; n++ {
		resp := &wrapperspb.BytesValue{}
		if err = s.RecvMsg(resp); err != nil {
			break
		}
		if want := strconv.Itoa(n); !strings.HasPrefix(string(resp.GetValue()), want) {
			return n, fmt.Errorf("answer %d is %.10q", n, resp.GetValue())
		}
	}
	if err.Error() == "EOF" {
		return n, nil
	}
	return n, err
}

func TestCallsOfOtherMethodsAreServedByGRPC(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	for name, first := range map[string]string{"on a connection that began with one of ours": echo, "on one of their own": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, addr)
			if first != "" {
				if err := conn.Invoke(t.Context(), first, text("hello"), &wrapperspb.BytesValue{}); err != nil {
					t.Fatalf("Echo() = %v, want no error", err)
				}
			}
			s, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, chat)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"a", strings.Repeat("b", 500<<10), "c"} {
				resp := &wrapperspb.BytesValue{}
				if err := s.SendMsg(text(want)); err != nil {
					t.Fatal(err)
				}
				if err := s.RecvMsg(resp); err != nil || string(resp.GetValue()) != want {
					t.Fatalf("Chat(%d bytes) = %d bytes, %v, want the same", len(want), len(resp.GetValue()), err)
				}
			}
			if err := s.CloseSend(); err != nil {
				t.Fatal(err)
			}
			if err := s.RecvMsg(&wrapperspb.BytesValue{}); err == nil || err.Error() != "EOF" {
				t.Errorf("Chat() ended with %v, want EOF", err)
			}
			if err := conn.Invoke(t.Context(), "/test.v1.Echo/Nothing", text(""), &wrapperspb.BytesValue{}); status.Code(err) != codes.Unimplemented {
				t.Errorf("Nothing() = %v, want Unimplemented", err)
			}
		})
	}
}

func TestManyCallsAtOnceAreKeptApart(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, nil)
	conn := dial(t, addr)
	var all sync.WaitGroup
	for caller := range 200 { // more than the connection may have at a time
		all.Go(func() {
			for n := range 20 {
				want := fmt.Sprintf("%d of %d", n, caller) + strings.Repeat("x", n*1000)
				resp := &wrapperspb.BytesValue{}
				if err := conn.Invoke(t.Context(), echo, text(want), resp); err != nil || string(resp.GetValue()) != want {
					t.Errorf("Echo(%.20q) = %.20q, %v, want the same", want, resp.GetValue(), err)
				}
			}
		})
	}
	all.Wait()
}

func TestCallsEndBeforeTheServerDoes(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	s, addr := serve(t, func(o *grpcwire.Options) {
		o.Unary = func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			close(begun)
			<-goOn
			return next(ctx, req)
		}
	})
	answered, stopped := make(chan error, 1), make(chan error, 1)
	conn := dial(t, addr)
	go func() { answered <- conn.Invoke(t.Context(), echo, text("hello"), &wrapperspb.BytesValue{}) }()
	<-begun
	go func() { stopped <- s.Shutdown(t.Context()) }()
	select {
	case err := <-stopped:
		close(goOn)
		t.Fatalf("Shutdown() = %v while a call runs, want it to wait", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(goOn)
	if err := <-answered; err != nil {
		t.Errorf("Echo() = %v, want it to end well", err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Shutdown() = %v, want no error", err)
	}
}

func TestAHandlerEndsBeforeTheServerDoesThoughItsCallerLeft(t *testing.T) {
	t.Parallel()
	begun, left, goOn := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s, addr := serve(t, func(o *grpcwire.Options) {
		o.Unary = func(ctx context.Context, _ any, _ *grpc.UnaryServerInfo, _ grpc.UnaryHandler) (any, error) {
			close(begun)
			<-ctx.Done()
			close(left)
			<-goOn
			return nil, ctx.Err()
		}
	})
	conn := dial(t, addr)
	ctx, leave := context.WithCancel(t.Context())
	go func() { _ = conn.Invoke(ctx, echo, text("hello"), &wrapperspb.BytesValue{}) }()
	<-begun
	leave()
	_ = conn.Close()
	<-left
	stopped := make(chan error, 1)
	go func() { stopped <- s.Shutdown(t.Context()) }()
	select {
	case err := <-stopped:
		close(goOn)
		t.Fatalf("Shutdown() = %v while a handler runs, want it to wait: the handler uses what is closed next", err)
	case <-time.After(100 * time.Millisecond):
	}
	close(goOn)
	if err := <-stopped; err != nil {
		t.Errorf("Shutdown() = %v, want no error", err)
	}
}

func TestAClientThatDoesNotAnswerHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	s, addr := serve(t, func(o *grpcwire.Options) { o.PingTimeout = time.Minute })
	p := newPeer(t, addr)
	p.call(1, false)
	p.must(0, p.WriteData(1, true, hello))
	if got := p.end(1); got != "status 0" {
		t.Fatalf("Echo() ended with %q, want it to end well", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown() = %v, want it not to wait for the answer to a ping", err)
	}
}

func TestACallThatDoesNotEndIsCutOff(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	s, addr := serve(t, func(o *grpcwire.Options) {
		o.Unary = func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			close(begun)
			return next(ctx, req)
		}
	})
	conn, answered := dial(t, addr), make(chan error, 1)
	go func() { answered <- conn.Invoke(t.Context(), echo, text("wait "), &wrapperspb.BytesValue{}) }()
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); err == nil {
		t.Error("Shutdown() = nil, want the error of its context")
	}
	if err := <-answered; status.Code(err) != codes.Unavailable {
		t.Errorf("Echo() = %v, want Unavailable", err)
	}
}
