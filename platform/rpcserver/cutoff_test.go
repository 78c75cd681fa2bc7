package rpcserver_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/platform/rpcserver"
)

// TestACallThatWaitsAnswersBeforeItIsCutOff has a call wait for longer than a server that stops waits for it.
func TestACallThatWaitsAnswersBeforeItIsCutOff(t *testing.T) {
	t.Parallel()
	o := options(t, new(logtest.Buffer))
	_ = o.GRPCListener.Close()
	_ = o.HTTPListener.Close()
	synctest.Test(t, func(t *testing.T) {
		l := bufconn.Listen(64 << 10)
		o.GRPCListener, o.HTTPListener = l, nil
		s, err := rpcserver.New(o)
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		begun := make(chan struct{})
		s.GRPC().RegisterService(&grpc.ServiceDesc{
			ServiceName: "test.v1.Library", HandlerType: (*any)(nil),
			Methods: []grpc.MethodDesc{{MethodName: "GetBook", Handler: func(_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
				req := new(emptypb.Empty)
				if err := decode(req); err != nil {
					return nil, err
				}
				return intercept(ctx, req, &grpc.UnaryServerInfo{FullMethod: getBook}, func(ctx context.Context, _ any) (any, error) {
					close(begun)
					waiting, release := rpcserver.UntilCutOff(ctx)
					defer release()
					<-waiting.Done()
					return &emptypb.Empty{}, ctx.Err()
				})
			}}},
		}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		conn, err := grpc.NewClient("passthrough:///books", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
		if err != nil {
			t.Fatal(err)
		}
		answered := make(chan error, 1)
		go func() { answered <- conn.Invoke(as(t, readerToken), getBook, &emptypb.Empty{}, &emptypb.Empty{}) }()
		<-begun
		stopped := time.Now()
		cancel()
		if err := <-answered; err != nil {
			t.Errorf("GetBook() = %v, want an answer", err)
		}
		if waited := time.Since(stopped); waited < 5*time.Second {
			t.Errorf("GetBook() was told to answer after %s, want most of the time that calls have", waited)
		}
		if err := conn.Close(); err != nil {
			t.Errorf("Close() = %v, want no error", err)
		}
		if err := <-done; err != nil {
			t.Errorf("Run() = %v, want no error", err)
		}
	})
}
