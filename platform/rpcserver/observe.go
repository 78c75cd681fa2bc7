package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/telemetry"
)

// call collects what the log line at the end of an RPC says.
type call struct {
	method string
	start  time.Time
	caller auth.Principal // set by authorize
	server *Server        // see UntilCutOff; nil for a stream, which ends as soon as the server stops

	audited  bool
	resource string // what an audited call was about
}

type callKey struct{}

// observeUnary is the outermost interceptor. It recovers panics, writes the log line of the call and maps its error to a status.
func (s *Server) observeUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
	c := &call{method: info.FullMethod, start: time.Now(), server: s, audited: s.opts.Rules[info.FullMethod].Audited}
	ctx = context.WithValue(ctx, callKey{}, c)
	defer func() {
		if v := recover(); v != nil {
			err = newPanicError(v)
		}
		if c.audited {
			c.resource = resource(resp, req)
		}
		if err = s.finish(ctx, c, err); err != nil {
			resp = nil
		}
	}()
	return next(ctx, req)
}

func (s *Server) observeStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	c := &call{method: info.FullMethod, start: time.Now()}
	ctx, release := s.streams.track(context.WithValue(stream.Context(), callKey{}, c))
	defer release()
	defer func() {
		if v := recover(); v != nil {
			err = newPanicError(v)
		}
		err = s.finish(ctx, c, err)
	}()
	return next(srv, &serverStream{ServerStream: stream, ctx: ctx})
}

// finish writes the one log line of c, unless there are too many of unknown callers, and returns the error that the client sees for err.
func (s *Server) finish(ctx context.Context, c *call, err error) error {
	st := rpcfault.Status(err)
	if at := c.level(ctx, st.Code(), err); s.opts.Logger.Enabled(ctx, at) { // calls that succeed are logged at debug level only
		if attrs, ok := s.line(at, c.caller, c.attributes(st, err)...); ok {
			s.opts.Logger.LogAttrs(ctx, at, "rpc", attrs...)
		}
	}
	return st.Err()
}

// attributes returns the attributes of the log line of c.
func (c *call) attributes(st *status.Status, err error) []slog.Attr {
	attrs := []slog.Attr{
		slog.String(telemetry.LogMethod, c.method), slog.String(telemetry.LogCode, st.Code().String()),
		slog.Duration(telemetry.LogDuration, time.Since(c.start)),
	}
	if c.caller.Name != "" {
		attrs = append(attrs, slog.String(telemetry.LogTenant, c.caller.Tenant), slog.String(telemetry.LogPrincipal, c.caller.Name))
	}
	if c.resource != "" {
		attrs = append(attrs, slog.String(telemetry.LogResource, c.resource))
	}
	if err != nil {
		attrs = append(attrs, slog.String(telemetry.LogReason, fault.ReasonOf(rpcfault.FromStatus(st.Err()))), slog.Any(telemetry.LogError, err))
	}
	if p, ok := errors.AsType[*panicError](err); ok {
		attrs = append(attrs, slog.String(telemetry.LogStack, p.stack))
	}
	return attrs
}

// level is Error when an operator has to act: for bugs, and for failures that are known to be ours. It is Warn when the cause is the caller or a
// remote party that is unavailable or has itself failed. A caller that disconnects, a resource that does not exist and one that exists already are
// ordinary use. An audited call is always logged when its caller is known.
func (c *call) level(ctx context.Context, code codes.Code, err error) slog.Level {
	switch {
	case code == codes.NotFound || code == codes.AlreadyExists:
		return slog.LevelInfo
	case code == codes.OK && c.audited:
		return slog.LevelInfo
	case code == codes.OK || errors.Is(ctx.Err(), context.Canceled) && !c.audited:
		return slog.LevelDebug
	case isRelayed(err):
		return slog.LevelWarn
	case code == codes.Internal || code == codes.Unknown || code == codes.DataLoss || fault.From(err).Ours:
		return slog.LevelError
	default:
		return slog.LevelWarn
	}
}

// isRelayed reports whether a call that we passed on has failed at the other server.
func isRelayed(err error) bool {
	_, relayed := errors.AsType[*rpcfault.RelayedError](err)
	return relayed
}

// panicError keeps the stack for the log. It is not a fault, so the client sees an internal error only.
type panicError struct {
	value any
	stack string
}

func newPanicError(v any) *panicError { return &panicError{value: v, stack: string(debug.Stack())} }

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }
