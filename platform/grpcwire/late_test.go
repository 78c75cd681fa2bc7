package grpcwire_test

import (
	"context"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/grpcwire"
)

// TestACallBehindTheLastOneIsNotBegunAndEndsNoOther has a client begin a call after the server has said which one is its last. The client will make that call
// elsewhere, so it must not be made here too.
func TestACallBehindTheLastOneIsNotBegunAndEndsNoOther(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	begun, goOn := make(chan struct{}, 2), make(chan struct{})
	s, addr := serve(t, func(o *grpcwire.Options) {
		o.Unary = func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			calls.Add(1)
			begun <- struct{}{}
			<-goOn
			return next(ctx, req)
		}
	})
	p := newPeer(t, addr)
	p.call(1, false)
	p.must(0, p.WriteData(1, true, hello))
	<-begun
	stopped := make(chan error)
	go func() { stopped <- s.Shutdown(t.Context()) }()
	for last := uint32(0); last != 1; {
		f, err := p.ReadFrame()
		p.must(0, err)
		switch f := f.(type) {
		case *http2.PingFrame:
			p.must(0, p.WritePing(true, f.Data))
		case *http2.GoAwayFrame:
			last = f.LastStreamID
		}
	}
	p.call(3, false)
	p.must(0, p.WriteData(3, true, hello))
	p.must(0, p.WritePing(false, [8]byte{}))
	for read := false; !read; { // the answer comes when the call before it was read
		f, err := p.ReadFrame()
		p.must(0, err)
		_, read = f.(*http2.PingFrame)
	}
	close(goOn)
	if got := p.end(1); got != "status 0" {
		t.Errorf("the server ended the call before it with %q, want status 0", got)
	}
	if err := <-stopped; err != nil || calls.Load() != 1 {
		t.Errorf("Shutdown() = %v after %d calls, want no error after one", err, calls.Load())
	}
}
