package rpcserver

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/grpcwire"
	"github.com/quorate/quorate/platform/telemetry"
)

// Direct returns where services register as well, whose calls are to cost less: connections over gRPC that begin with one of them are served without
// grpc-go's transport, through the same interceptors. Every service that registers here registers with GRPC too.
func (s *Server) Direct() grpc.ServiceRegistrar {
	s.hasDirect = true
	return s.direct
}

// newDirect returns the server of these connections, and the connection that takes their other calls to gRPC's.
func (s *Server) newDirect(calls *answered) (*grpcwire.Server, *grpc.ClientConn, error) {
	other, err := s.dial()
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to gRPC: %w", err)
	}
	return grpcwire.NewServer(grpcwire.Options{
		Logger: s.opts.Logger, Unary: s.directUnary, Stream: s.directStream, Stats: calls, Other: other,
		MaxRequest: int(s.opts.MaxBodyBytes), MaxStreams: maxStreams, Workers: workers,
		Connect: connectTimeout, PingAfter: pingAfter, PingTimeout: pingTimeout,
	}), other, nil
}

func (s *Server) directUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	return s.observeUnary(ctx, req, info, func(ctx context.Context, req any) (any, error) {
		return s.authorizeUnary(ctx, req, info, func(ctx context.Context, req any) (any, error) {
			return s.validateUnary(ctx, req, info, next)
		})
	})
}

func (s *Server) directStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return s.observeStream(srv, stream, info, func(srv any, stream grpc.ServerStream) error {
		return s.authorizeStream(srv, stream, info, func(srv any, stream grpc.ServerStream) error {
			return s.validateStream(srv, stream, info, next)
		})
	})
}

// front returns what gRPC's server accepts of a listener's connections.
func (s *Server) front(l net.Listener) net.Listener {
	if !s.hasDirect {
		return l
	}
	return s.direct.Front(l)
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
