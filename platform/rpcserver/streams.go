package rpcserver

import (
	"context"
	"sync"

	"google.golang.org/grpc"
)

// openStreams can end every stream, because a watch would otherwise keep a stopping server waiting.
type openStreams struct {
	mu      sync.Mutex
	stopped bool                       // guarded by mu
	next    int                        // guarded by mu
	cancels map[int]context.CancelFunc // guarded by mu
}

func newOpenStreams() *openStreams { return &openStreams{cancels: make(map[int]context.CancelFunc)} }

// track returns a context that endAll ends; release must be called when the stream is over.
func (o *openStreams) track(parent context.Context) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancel(parent)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		cancel()
	}
	id := o.next
	o.next++
	o.cancels[id] = cancel
	return ctx, func() {
		cancel()
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.cancels, id)
	}
}

func (o *openStreams) endAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopped = true
	for _, cancel := range o.cancels {
		cancel()
	}
}

// serverStream is a stream with another context and a check on what it receives.
type serverStream struct {
	grpc.ServerStream
	ctx   context.Context //nolint:containedctx // grpc hands the context over in the stream
	check func(message any) error
}

// Context returns the context with what the interceptors added.
func (s *serverStream) Context() context.Context { return s.ctx }

// RecvMsg receives the next message and checks it.
func (s *serverStream) RecvMsg(message any) error {
	if err := s.ServerStream.RecvMsg(message); err != nil {
		return err
	}
	if s.check == nil {
		return nil
	}
	return s.check(message)
}
