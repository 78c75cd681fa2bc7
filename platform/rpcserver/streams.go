package rpcserver

import (
	"context"
	"sync"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/fault"
)

// ReasonCutOff is the reason of the fault with which UntilCutOff ends a wait because the server stops.
const ReasonCutOff = "CALL_CUT_OFF"

// errStopping is why streams end when the server stops, and errCutOff why calls do that wait for others.
var (
	errStopping = fault.New(fault.Unavailable, "STREAM_ENDED",
		"the server ends this stream, as it does when it stops; connect again and go on behind the last event")
	errCutOff = fault.New(fault.Unavailable, ReasonCutOff,
		"the server stops before this call was answered; what it asked for may still be done, so look before you send it again")
)

// openStreams can end all streams, because an open watch would otherwise keep a stopping server waiting, and all waits of calls, because a call that is cut
// off has no answer.
type openStreams struct {
	why     error
	mu      sync.Mutex
	stopped bool                            // guarded by mu
	next    int                             // guarded by mu
	cancels map[int]context.CancelCauseFunc // guarded by mu
}

func newOpenStreams(why error) *openStreams {
	return &openStreams{why: why, cancels: make(map[int]context.CancelCauseFunc)}
}

// track returns a context that endAll ends. The caller must call release when the stream is over.
func (o *openStreams) track(parent context.Context) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		cancel(o.why)
	}
	id := o.next
	o.next++
	o.cancels[id] = cancel
	return ctx, func() {
		cancel(nil)
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
		cancel(o.why)
	}
}

// UntilCutOff returns a context that ends shortly before a server that stops cuts off the call of ctx, so that a handler that waits can still answer with what
// there is, or with what WhyEnded says. The caller must call release when the wait is over.
func UntilCutOff(ctx context.Context) (_ context.Context, release func()) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok || c.server == nil {
		return ctx, func() {}
	}
	return c.server.waits.track(ctx)
}

// UntilDismissed is UntilCutOff for a call over gRPC that may wait for days. Its context also ends once the caller's credentials no longer allow the call.
func UntilDismissed(ctx context.Context) (_ context.Context, release func()) {
	waiting, forget := UntilCutOff(ctx)
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok || c.server == nil {
		return waiting, forget
	}
	waiting, end := c.server.whileAdmitted(waiting, presented(ctx), c.server.opts.Rules[c.method])
	return waiting, func() { end(); forget() }
}

// serverStream is a stream with another context, and optionally with a check of each message that it receives.
type serverStream struct {
	grpc.ServerStream
	ctx   context.Context //nolint:containedctx // grpc hands the context over in the stream
	check func(message any) error
}

// Context returns the context to which the interceptors have added.
func (s *serverStream) Context() context.Context { return s.ctx }

// SendMsg sends a message unless the stream has been ended, which its handler may not notice. It says itself why: this context ends a moment before those
// that were derived from it, which cannot tell yet.
func (s *serverStream) SendMsg(message any) error {
	if err := s.ctx.Err(); err != nil {
		return WhyEnded(s.ctx, err)
	}
	return s.ServerStream.SendMsg(message)
}

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
