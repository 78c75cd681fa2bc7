package grpcwire_test

import (
	"context"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/grpcwire"
)

// TestACallThatIsResetCountsUntilItsHandlerReturns resets calls as soon as they are worked on (as in CVE-2023-44487).
func TestACallThatIsResetCountsUntilItsHandlerReturns(t *testing.T) {
	t.Parallel()
	const most = 2
	var calls atomic.Int32
	begun, end := make(chan struct{}), make(chan struct{})
	_, addr := serve(t, func(o *grpcwire.Options) {
		o.MaxStreams = most
		o.Unary = func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			if calls.Add(1) <= most { // whatever ctx says
				begun <- struct{}{}
				<-end
			}
			return next(ctx, req)
		}
	})
	defer close(end)
	p := newPeer(t, addr)
	id := uint32(1)
	for ; id <= 2*most; id += 2 {
		p.call(id, false)
		p.must(0, p.WriteData(id, true, hello))
		<-begun
		p.must(0, p.WriteRSTStream(id, http2.ErrCodeCancel))
	}
	p.call(id, false)
	p.must(0, p.WriteData(id, true, hello))
	if got := p.end(id); got != "reset REFUSED_STREAM" {
		t.Errorf("a call ended with %q while %d that were reset are worked on, want it refused", got, most)
	}
}
