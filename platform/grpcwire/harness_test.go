package grpcwire_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/quorate/quorate/platform/grpcwire"
)

const (
	echo       = "/test.v1.Echo/Echo"
	count      = "/test.v1.Echo/Count"
	chat       = "/test.v1.Chat/Chat"
	maxRequest = 1 << 20
)

// agentURL is that of every client: where it connects to is decided by its function for it.
var agentURL = &url.URL{Scheme: "http", Host: "agent"}

// echoService responds with the request, and obeys commands at the beginning of a text. Its streams respond as often as the request says.
var echoService = grpc.ServiceDesc{
	ServiceName: "test.v1.Echo", HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{MethodName: "Echo", Handler: handleEcho}},
	Streams: []grpc.StreamDesc{{StreamName: "Count", Handler: handleCount, ServerStreams: true}},
}

// chatService responds to each message of a stream; grpc-go serves it.
var chatService = grpc.ServiceDesc{
	ServiceName: "test.v1.Chat", HandlerType: (*any)(nil),
	Streams: []grpc.StreamDesc{{StreamName: "Chat", Handler: handleChat, ServerStreams: true, ClientStreams: true}},
}

func handleEcho(_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) { //nolint:revive // grpc has the context second
	req := &wrapperspb.BytesValue{}
	if err := decode(req); err != nil {
		return nil, err
	}
	if intercept == nil {
		return answerEcho(ctx, req)
	}
	return intercept(ctx, req, &grpc.UnaryServerInfo{FullMethod: echo}, answerEcho)
}

func answerEcho(ctx context.Context, req any) (any, error) {
	in, _ := req.(*wrapperspb.BytesValue)
	md, _ := metadata.FromIncomingContext(ctx)
	word, rest, _ := strings.Cut(string(in.GetValue()[:min(64, len(in.GetValue()))]), " ")
	switch word {
	case "fail":
		st, err := status.New(codes.FailedPrecondition, rest).WithDetails(&errdetails.ErrorInfo{Reason: "TEST"})
		if err != nil {
			return nil, err
		}
		return nil, st.Err()
	case "panic":
		panic(rest)
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case "give":
		n, err := strconv.Atoi(rest)
		return &wrapperspb.BytesValue{Value: make([]byte, n)}, err
	case "metadata":
		if err := grpc.SetHeader(ctx, metadata.Pairs("said", strings.Join(md.Get("say"), "+"), "raw-bin", strings.Join(md.Get("raw-bin"), ""))); err != nil {
			return nil, err
		}
		return in, grpc.SetTrailer(ctx, metadata.Pairs("last", "word"))
	}
	return in, nil
}

func handleCount(_ any, s grpc.ServerStream) error {
	req := &wrapperspb.BytesValue{}
	if err := s.RecvMsg(req); err != nil {
		return err
	}
	times, size, _ := strings.Cut(string(req.GetValue()), " ")
	n, err := strconv.Atoi(times)
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	bytes, _ := strconv.Atoi(size)
	for i := range n {
		if err := s.SendMsg(&wrapperspb.BytesValue{Value: append(strconv.AppendInt(nil, int64(i), 10), make([]byte, bytes)...)}); err != nil {
			return err
		}
	}
	if n == 13 {
		return status.Error(codes.DataLoss, "thirteen")
	}
	return nil
}

func handleChat(_ any, s grpc.ServerStream) error {
	for {
		req := &wrapperspb.BytesValue{}
		if err := s.RecvMsg(req); err == io.EOF { //nolint:errorlint // as grpc says it
			return nil
		} else if err != nil {
			return err
		}
		if err := s.SendMsg(req); err != nil {
			return err
		}
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// serve runs a Server in front of grpc-go's, which has both services, and returns its address.
func serve(t *testing.T, change func(*grpcwire.Options)) (*grpcwire.Server, string) {
	t.Helper()
	behind := grpc.NewServer()
	behind.RegisterService(&echoService, nil)
	behind.RegisterService(&chatService, nil)
	inner, l := listen(t), listen(t)
	go func() { _ = behind.Serve(inner) }()
	options := grpcwire.Options{
		Logger: slog.New(slog.DiscardHandler), Other: dial(t, inner.Addr().String()), MaxRequest: maxRequest, MaxStreams: 100, Workers: 4,
		Connect: time.Minute, PingAfter: time.Minute, PingTimeout: time.Second,
	}
	if change != nil {
		change(&options)
	}
	s := grpcwire.NewServer(options)
	s.RegisterService(&echoService, nil)
	go func() { _ = behind.Serve(s.Front(l)) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown() = %v, want no error", err)
		}
		behind.Stop()
	})
	return s, l.Addr().String()
}

// bufferedConn is a pipe whose writer does not wait for who reads. It must be read until its end.
type bufferedConn struct {
	net.Conn
	out   chan []byte
	ended chan struct{}
	end   sync.Once
}

func buffered(conn net.Conn) *bufferedConn {
	b := &bufferedConn{Conn: conn, out: make(chan []byte, 1000), ended: make(chan struct{})}
	go func() {
		for {
			select {
			case p := <-b.out:
				_, _ = conn.Write(p) // the other end may be gone
			case <-b.ended:
				return
			}
		}
	}()
	return b
}

func (b *bufferedConn) Write(p []byte) (int, error) {
	select {
	case b.out <- slices.Clone(p):
		return len(p), nil
	case <-b.ended:
		return 0, net.ErrClosed
	}
}

func (b *bufferedConn) Read(p []byte) (int, error) {
	n, err := b.Conn.Read(p)
	if err != nil {
		b.end.Do(func() { close(b.ended) })
	}
	return n, err
}

func dial(t *testing.T, addr string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func text(s string) *wrapperspb.BytesValue { return &wrapperspb.BytesValue{Value: []byte(s)} }
