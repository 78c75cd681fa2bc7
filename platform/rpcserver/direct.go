package rpcserver

import (
	"context"
	"fmt"
	"log/slog"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/grpcwire"
	"github.com/quorate/quorate/platform/rpcserver/instrument"
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
	r.direct.RegisterService(r.admitting(desc, readWhole, readWhole), impl)
}

// readWhole decodes a request that has arrived.
func readWhole(_ context.Context, decode func(any) error, req any) error { return decode(req) }

// arrived is the receiver for streams whose request has arrived.
func arrived(stream grpc.ServerStream, _ *grpc.StreamServerInfo) grpc.ServerStream { return stream }

// newDirect returns the server for these connections, and the client connection over which their other calls reach grpc-go.
func (s *Server) newDirect(calls *instrument.ServerCalls) (*grpcwire.Server, *grpc.ClientConn, error) {
	other, err := s.dial(grpc.WithStreamInterceptor(s.passOn))
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to gRPC: %w", err)
	}
	return grpcwire.NewServer(grpcwire.Options{
		Logger: s.opts.Logger, Unary: s.interceptUnary, Stream: streams{s, arrived}.intercept, Stats: calls, Other: other,
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
