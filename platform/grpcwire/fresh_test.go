package grpcwire_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/quorate/quorate/platform/grpcwire"
)

// TestCallsBeginNoFasterThanTheirCallersAreRecognized has handlers that do not know yet whose call they have.
func TestCallsBeginNoFasterThanTheirCallersAreRecognized(t *testing.T) {
	t.Parallel()
	const calls = 1000
	for name, path := range map[string]string{"ours": "/test.v1.Guarded/Echo", "relayed": chat} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, recognized := make(chan struct{}, calls), make(chan struct{})
			recognize := func() { begun <- struct{}{}; <-recognized }
			s, addr := serve(t, func(o *grpcwire.Options) {
				o.MaxStreams = calls + 1
				o.Other = guarded{o.Other, recognize}
			})
			s.RegisterService(&grpc.ServiceDesc{ServiceName: "test.v1.Guarded", Methods: []grpc.MethodDesc{{
				MethodName: "Echo",
				Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
					recognize()
					req := &wrapperspb.BytesValue{}
					return req, decode(req)
				},
			}}}, nil)
			p := newPeer(t, addr)
			p.call(1, true) // so that grpcwire serves the connection
			go func() {
				for n := range uint32(calls) {
					p.path(2*n+3, path)
					_ = p.WriteData(2*n+3, true, hello)
				}
			}()
			for range 63 { // and the first call, which may be fresh still
				<-begun
			}
			<-time.After(50 * time.Millisecond)
			if more := len(begun); more > 1 {
				t.Errorf("%d calls have begun, and nobody knows whose they are, want the client to wait", 63+more)
			}
			close(recognized)
			for ended := map[uint32]bool{}; len(ended) < calls; runtime.Gosched() {
				if id, status := p.nextEnd(); id > 1 {
					if ended[id] = true; status != "0" {
						t.Fatalf("call %d ended with status %s, want 0", id, status)
					}
				}
			}
		})
	}
}

// guarded lets calls begin when their callers are recognized.
type guarded struct {
	grpc.ClientConnInterface
	recognize func()
}

func (g guarded) NewStream(ctx context.Context, d *grpc.StreamDesc, method string, o ...grpc.CallOption) (grpc.ClientStream, error) {
	g.recognize()
	return g.ClientConnInterface.NewStream(ctx, d, method, o...)
}
