package grpcwire

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// call is a call that the server handles.
type call struct {
	port    *serverConn
	stream  *stream
	path    string
	method  *method            // nil if it is not registered
	refused error              // what is wrong with its header
	ctx     context.Context    //nolint:containedctx // a call has one, as a grpc.ServerStream does
	cancel  context.CancelFunc // guarded by the transport's mu
	fresh   bool               // guarded by the transport's mu; its handler runs and has not taken the request
	counted Counted            // the answer, if it counts by itself

	mu      sync.Mutex
	header  metadata.MD // guarded by mu; to be sent
	trailer metadata.MD // guarded by mu; to be sent
	begun   bool        // guarded by mu; the header has been sent
}

var _ grpc.ServerTransportStream = (*call)(nil)

// serve handles a complete request with the registered method.
func (c *call) serve() {
	defer c.port.finished(c.stream)
	begin := time.Now()
	ctx, err := c.context()
	if err != nil {
		c.end(err)
		return
	}
	defer c.cancel()
	if h := c.port.server.opts.Stats; h != nil {
		ctx = h.TagRPC(ctx, &stats.RPCTagInfo{FullMethodName: c.path})
		h.HandleRPC(ctx, &stats.InHeader{FullMethod: c.path, RemoteAddr: c.port.peer.Addr, LocalAddr: c.port.peer.LocalAddr})
		defer func() { h.HandleRPC(ctx, &stats.End{BeginTime: begin, EndTime: time.Now(), Error: err}) }()
	}
	c.ctx = ctx
	err = c.handle()
	c.end(err)
}

// handle runs the handler. The interceptors handle panics; one outside of them ends this call and nothing else.
func (c *call) handle() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = status.Error(codes.Internal, "internal error")
			c.port.server.opts.Logger.ErrorContext(c.ctx, "a call panicked", slog.String("method", c.path), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
		}
	}()
	request, err := c.request()
	if err != nil {
		return err
	}
	if c.method.unary != nil {
		return c.unary(request)
	}
	return c.streaming(request)
}

// request returns the message of a complete request, with its prefix.
func (c *call) request() ([]byte, error) {
	c.port.mu.Lock()
	defer c.port.mu.Unlock()
	if c.stream.err != nil {
		return nil, c.stream.err
	}
	return wholeMessage(c.stream.in, c.stream.limit)
}

// context returns the context of the call, with its metadata, deadline and peer.
func (c *call) context() (context.Context, error) {
	md, err := metadataOf(c.stream.header)
	if err != nil {
		return nil, err
	}
	ctx := metadata.NewIncomingContext(peer.NewContext(context.Background(), c.port.peer), md)
	ctx, cancel, err := withDeadline(grpc.NewContextWithServerTransportStream(ctx, c), c.stream.header)
	if err != nil {
		return nil, err
	}
	c.port.mu.Lock()
	defer c.port.mu.Unlock()
	c.cancel = cancel
	if c.stream.err != nil { // it was canceled before it began
		cancel()
	}
	return ctx, nil
}

// withDeadline returns a context with the timeout that the client has set.
func withDeadline(ctx context.Context, header []hpack.HeaderField) (context.Context, context.CancelFunc, error) {
	for _, f := range header {
		if f.Name != fieldTimeout {
			continue
		}
		d, err := parseTimeout(f.Value)
		if err != nil {
			return nil, nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, d)
		return ctx, cancel, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	return ctx, cancel, nil
}

// refuse ends a call that no handler gets.
func (c *call) refuse() {
	defer c.port.finished(c.stream)
	if c.refused == nil {
		c.refused = unimplemented("unknown method %.200q", c.path)
	}
	c.end(c.refused)
}

// end sends the status of the call, after everything else. A stream that has been reset gets none.
func (c *call) end(err error) {
	st := statusOfHandler(err)
	_ = c.locked(func() error {
		var fields []hpack.HeaderField
		if !c.begun {
			fields = appendMetadata(answerHeader(), c.header)
		}
		c.stream.head(true, appendStatus(appendMetadata(fields, c.trailer), st)...)
		if c.stream.ended {
			delete(c.port.streams, c.stream.id)
		}
		return nil
	})
}

func answerHeader() []hpack.HeaderField {
	return []hpack.HeaderField{{Name: ":status", Value: "200"}, {Name: "content-type", Value: contentType}}
}

// statusOfHandler returns the status that the client gets for a handler's error.
func statusOfHandler(err error) *status.Status {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return status.FromContextError(err)
	}
	if reset, ok := errors.AsType[http2.StreamError](err); ok {
		return status.Convert(statusOfReset(reset))
	}
	return status.Convert(err)
}
