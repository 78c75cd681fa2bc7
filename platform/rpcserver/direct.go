package rpcserver

import (
	"context"
	"fmt"
	"log/slog"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/grpcwire"
	"github.com/quorate/quorate/platform/rpcserver/instrument"
	"github.com/quorate/quorate/platform/share"
	"github.com/quorate/quorate/platform/telemetry"
)

// Direct returns the registrar for services whose calls have to be cheap. A connection whose first call is to such a service bypasses grpc-go's
// transport and passes the same interceptors; its calls of other services are passed on to grpc-go. So every service registered here must be
// registered with GRPC too.
func (s *Server) Direct() grpc.ServiceRegistrar { return directRegistrar{s} }

// directRegistrar is a registrar for services whose requests have arrived whole when they are handled.
type directRegistrar struct{ *Server }

// RegisterService registers a service with the direct server.
func (r directRegistrar) RegisterService(desc *grpc.ServiceDesc, impl any) {
	r.direct.RegisterService(r.admitting(desc, r.decodeArrived, decodeAtOnce), impl)
}

// decodeArrived is decodeKnown for a request that has arrived.
func (s *Server) decodeArrived(ctx context.Context, decode func(any) error, req any) error {
	var arrived grpcwire.Undecoded
	if err := decode(&arrived); err != nil {
		return err
	}
	if err := s.awaitTurn(ctx, len(arrived)); err != nil {
		return err
	}
	return arrived.Decode(req)
}

// decodeAtOnce decodes a request of a public method that has arrived.
func decodeAtOnce(_ context.Context, decode func(any) error, req any) error { return decode(req) }

// interceptDirect is interceptUnary for answers that count by their caller while they wait to be read.
func (s *Server) interceptDirect(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	resp, err := s.interceptUnary(ctx, req, info, next)
	message, ok := resp.(proto.Message)
	if err != nil || !ok {
		return resp, err
	}
	among, who := s.reader(ctx)
	return countedAnswer{message, among, who}, nil
}

// countedAnswer is an answer that counts by its caller.
type countedAnswer struct {
	proto.Message
	among *share.Bytes[caller]
	who   caller
}

var _ grpcwire.Counted = countedAnswer{}

// Wait counts the answer until it is read, or returns a ResourceExhausted status with the reason ANSWERS_UNREAD.
func (a countedAnswer) Wait(size int) (read func(), err error) {
	read, has := a.among.Take(a.who, size)
	if read == nil {
		return nil, answersUnread(has)
	}
	return read, nil
}

// arrived is the receiver for streams whose request has arrived.
func (s *Server) arrived(stream grpc.ServerStream, info *grpc.StreamServerInfo) grpc.ServerStream {
	if s.opts.Rules[info.FullMethod].Public {
		return stream
	}
	return arrivedStream{stream, s.turns}
}

// arrivedStream is knownStream for a request that has arrived.
type arrivedStream struct {
	grpc.ServerStream
	turns *turns
}

// RecvMsg decodes the request when it is its turn.
func (a arrivedStream) RecvMsg(message any) error {
	var arrived grpcwire.Undecoded
	if err := a.ServerStream.RecvMsg(&arrived); err != nil {
		return err
	}
	_, end, err := a.turns.take(a.Context(), len(arrived))
	if err != nil {
		return rpcfault.Status(err).Err()
	}
	defer end()
	return arrived.Decode(message)
}

// newDirect returns the server for these connections, and the client connection over which their other calls reach grpc-go.
func (s *Server) newDirect(calls *instrument.ServerCalls) (*grpcwire.Server, *grpc.ClientConn, error) {
	other, err := s.dial(grpc.WithStreamInterceptor(passing{s, calls}.passOn))
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to gRPC: %w", err)
	}
	return grpcwire.NewServer(grpcwire.Options{
		Logger: s.opts.Logger, Unary: s.interceptDirect, Stream: streams{s, s.arrived}.intercept, Stats: calls, Other: other, Origin: origin,
		MaxRequest: int(s.opts.MaxBodyBytes), MaxStreams: maxStreams, Workers: workers,
		Connect: connectTimeout, PingAfter: pingAfter, PingTimeout: pingTimeout,
	}), other, nil
}

// stopDirect lets calls finish until ctx is done. It closes the channel when all are over.
func (s *Server) stopDirect(ctx context.Context) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := s.direct.Shutdown(ctx); err != nil {
			s.opts.Logger.WarnContext(ctx, "cutting off calls", slog.Any(telemetry.LogError, err))
		}
	}()
	return over
}
