package grpcwire_test

import (
	"context"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/grpcwire"
)

// untilTheLast reads until the server, which leaves, has said which call is its last.
func (p *peer) untilTheLast(id uint32) {
	p.t.Helper()
	for last := id + 1; last != id; {
		f, err := p.ReadFrame()
		p.must(0, err)
		switch f := f.(type) {
		case *http2.PingFrame:
			p.must(0, p.WritePing(true, f.Data))
		case *http2.GoAwayFrame:
			last = f.LastStreamID
		}
	}
}

// untilRead returns when the server has read all that was sent to it.
func (p *peer) untilRead() {
	p.t.Helper()
	p.must(0, p.WritePing(false, [8]byte{}))
	for read := false; !read; {
		f, err := p.ReadFrame()
		p.must(0, err)
		_, read = f.(*http2.PingFrame)
	}
}

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
	p.untilTheLast(1)
	p.call(3, false)
	p.must(0, p.WriteData(3, true, hello))
	p.untilRead()
	close(goOn)
	if got := p.end(1); got != "status 0" {
		t.Errorf("the server ended the call before it with %q, want status 0", got)
	}
	if err := <-stopped; err != nil || calls.Load() != 1 {
		t.Errorf("Shutdown() = %v after %d calls, want no error after one", err, calls.Load())
	}
}

// TestARequestThatIsTakenBackDoesNotHoldUpTheEnd has a client take back, or spoil, the only request that a server waits for which leaves, and keep its connection.
func TestARequestThatIsTakenBackDoesNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*peer) error{
		"it is reset":              func(p *peer) error { return p.WriteRSTStream(1, http2.ErrCodeCancel) },
		"it breaks the rules":      func(p *peer) error { return p.WriteWindowUpdate(1, 1<<31-1) },
		"it has a malformed frame": func(p *peer) error { return p.WriteWindowUpdate(1, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, addr := serve(t, nil)
			p := newPeer(t, addr)
			p.call(1, false)
			p.must(0, p.WriteData(1, false, hello[:3]))
			p.untilRead()
			stopped := make(chan error, 1)
			go func() { stopped <- s.Shutdown(t.Context()) }()
			p.untilTheLast(1)
			p.must(0, end(p))
			for { // until the server closes the connection
				if _, err := p.ReadFrame(); err != nil {
					break
				}
			}
			if err := <-stopped; err != nil {
				t.Errorf("Shutdown() = %v, want no error", err)
			}
		})
	}
}
