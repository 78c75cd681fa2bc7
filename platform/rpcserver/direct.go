package rpcserver

import (
	"context"
	"fmt"
	"log/slog"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/grpcwire"
	"github.com/quorate/quorate/platform/telemetry"
)

// Direct returns where services register as well, whose calls are to cost less: connections over gRPC that begin with one of them are served without
// grpc-go's transport, through the same interceptors. Every service that registers here registers with GRPC too.
func (s *Server) Direct() grpc.ServiceRegistrar {
	return s.direct
}

// newDirect returns the server of these connections, and the connection that takes their other calls to gRPC's.
func (s *Server) newDirect(calls *answered) (*grpcwire.Server, *grpc.ClientConn, error) {
	other, err := s.dial()
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to gRPC: %w", err)
	}
	return grpcwire.NewServer(grpcwire.Options{
		Logger: s.opts.Logger, Unary: s.interceptUnary, Stream: s.interceptStream, Stats: calls, Other: other,
		MaxRequest: int(s.opts.MaxBodyBytes), MaxStreams: maxStreams, Workers: workers,
		Connect: connectTimeout, PingAfter: pingAfter, PingTimeout: pingTimeout,
	}), other, nil
}

// stopDirect lets calls finish until ctx is done; the channel is closed when all are over.
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
