package rpcserver

import (
	"context"

	"google.golang.org/grpc"
)

// interceptUnary runs the interceptors that every unary call passes, in order, whatever transport it came by.
func (s *Server) interceptUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	return s.observeUnary(ctx, req, info, func(ctx context.Context, req any) (any, error) {
		return s.authorizeUnary(ctx, req, info, func(ctx context.Context, req any) (any, error) {
			return s.validateUnary(ctx, req, info, next)
		})
	})
}

// receiver returns a stream that receives messages by what the transport has for that. Its caller is known, unless the method is public.
type receiver func(stream grpc.ServerStream, info *grpc.StreamServerInfo) grpc.ServerStream

// streams are those that come by one transport.
type streams struct {
	*Server
	receive receiver
}

// intercept is interceptUnary for streams.
func (s streams) intercept(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return s.observeStream(srv, stream, info, func(srv any, stream grpc.ServerStream) error {
		return s.authorizeStream(srv, stream, info, func(srv any, stream grpc.ServerStream) error {
			return s.validateStream(srv, s.receive(stream, info), info, next)
		})
	})
}
