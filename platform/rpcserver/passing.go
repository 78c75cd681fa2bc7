package rpcserver

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// passing are the calls that a direct connection has passed on to gRPC.
type passing struct {
	*Server
	calls stats.Handler
}

// passOn passes a call on over the in-memory connection, and tells the address that it comes from. All such calls share the connection, and each takes several
// goroutines, so the calls of those whom nobody knows are refused before.
func (p passing) passOn(ctx context.Context, d *grpc.StreamDesc, conn *grpc.ClientConn, method string, next grpc.Streamer, o ...grpc.CallOption) (grpc.ClientStream, error) {
	from := p.stranger(ctx)
	switch rule, known := p.opts.Rules[method]; {
	case !known:
		return nil, status.Errorf(codes.Unimplemented, "unknown method %.200q", method)
	case !rule.Public:
		if caller, err := p.recognize(ctx, rule); err != nil && caller.Name == "" {
			return nil, p.refused(ctx, method, err)
		}
	default: // a call without a caller counts until its answer is sent, since its client may never read that
		leave, err := p.strangers.passed.enter(from)
		if err != nil {
			return nil, rpcfault.Status(err).Err()
		}
		context.AfterFunc(ctx, leave)
	}
	md, _ := metadata.FromOutgoingContext(ctx) // a copy, in which the caller may have written something else
	md.Set(originKey, from.name)
	return next(metadata.NewOutgoingContext(ctx, md), d, conn, method, o...)
}

// refused ends a call that is not passed on as it would have ended there: in the log, in metrics and in traces.
func (p passing) refused(ctx context.Context, method string, err error) error {
	begin := time.Now()
	ctx = p.calls.TagRPC(ctx, &stats.RPCTagInfo{FullMethodName: method})
	err = p.finish(ctx, &call{method: method, start: begin}, err)
	p.calls.HandleRPC(ctx, &stats.End{BeginTime: begin, EndTime: time.Now(), Error: err})
	return err
}
