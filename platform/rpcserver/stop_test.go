package rpcserver_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/platform/rpcserver"
)

// broken is a listener that cannot accept connections any more.
type broken struct{ net.Listener }

func (broken) Accept() (net.Conn, error) { return nil, errors.New("the network is gone") }

func TestAServerWithoutItsPortEnds(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*rpcserver.Options){
		"gRPC": func(o *rpcserver.Options) { o.GRPCListener = broken{o.GRPCListener} },
		"HTTP": func(o *rpcserver.Options) { o.HTTPListener = broken{o.HTTPListener} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, new(logtest.Buffer))
			breaks(&o)
			s, err := rpcserver.New(o)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "the network is gone") {
				t.Errorf("Run() = %v, want why it ended", err)
			}
		})
	}
}

// TestAHandlerThatIgnoresItsEndHoldsNoServerUp has one go on when its call is cut off.
func TestAHandlerThatIgnoresItsEndHoldsNoServerUp(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	o := options(t, log)
	s, err := rpcserver.New(o)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	s.GRPC().RegisterService(&grpc.ServiceDesc{
		ServiceName: "test.v1.Library", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "GetBook", Handler: func(any, context.Context, func(any) error, grpc.UnaryServerInterceptor) (any, error) {
			close(begun)
			<-release
			return &emptypb.Empty{}, nil
		}}},
	}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	conn, err := grpc.NewClient(o.GRPCListener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ended := make(chan error, 1)
	go func() { ended <- conn.Invoke(t.Context(), getBook, &emptypb.Empty{}, &emptypb.Empty{}) }()
	<-begun
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Run() = %v, want no error", err)
		}
	case <-time.After(time.Minute): // it takes eleven seconds
		t.Fatal("Run() goes on while a handler does, want it to end")
	}
	if err := <-ended; err == nil {
		t.Error("GetBook() = no error, want that it was cut off")
	}
	if want := "abandoning calls that do not end"; !strings.Contains(log.String(), want) {
		t.Errorf("log = %s, want %q", log, want)
	}
}
