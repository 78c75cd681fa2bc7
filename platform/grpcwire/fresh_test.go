package grpcwire_test

import (
	"context"
	"log/slog"
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
			behind := grpc.NewServer()
			behind.RegisterService(&chatService, nil)
			inner, l := listen(t), listen(t)
			go func() { _ = behind.Serve(inner) }()
			t.Cleanup(behind.Stop)
			s := grpcwire.NewServer(grpcwire.Options{
				Logger: slog.New(slog.DiscardHandler), Other: guarded{dial(t, inner.Addr().String()), recognize},
				MaxRequest: maxRequest, MaxStreams: calls + 1, PingAfter: time.Minute, PingTimeout: time.Minute,
			})
			s.RegisterService(&grpc.ServiceDesc{ServiceName: "test.v1.Guarded", Methods: []grpc.MethodDesc{{
				MethodName: "Echo",
				Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
					recognize()
					req := &wrapperspb.BytesValue{}
					return req, decode(req)
				},
			}}}, nil)
			go serveAll(s, l)
			p := newPeer(t, l.Addr().String())
			go func() {
				for n := range uint32(calls) {
					p.path(2*n+1, path)
					_ = p.WriteData(2*n+1, true, hello)
				}
			}()
			for range 64 {
				<-begun
			}
			<-time.After(50 * time.Millisecond)
			if more := len(begun); more > 0 {
				t.Errorf("%d calls have begun, and nobody knows whose they are, want the client to wait", 64+more)
			}
			close(recognized)
			for ended := map[uint32]bool{}; len(ended) < calls; {
				id, status := p.nextEnd()
				if ended[id] = true; status != "0" {
					t.Fatalf("call %d ended with status %s, want 0", id, status)
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
