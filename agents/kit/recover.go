package kit

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// recoverUnary recovers from panics of the SDK; gRPC, unlike net/http, does not do that itself.
func (a *Agent) recoverUnary(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (_ any, err error) {
	defer func() { err = a.recovered(ctx, info.FullMethod, recover(), err) }()
	return next(ctx, request)
}

func (a *Agent) recoverStream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	defer func() { err = a.recovered(stream.Context(), info.FullMethod, recover(), err) }()
	return next(server, stream)
}

func (a *Agent) recovered(ctx context.Context, method string, panicked any, err error) error {
	if panicked == nil {
		return err
	}
	a.config.Logger.ErrorContext(ctx, "call panicked", slog.String("method", method), slog.Any("panic", panicked), slog.String("stack", string(debug.Stack())))
	return status.Error(codes.Internal, "internal error")
}

// asError makes an error, with the stack for the log, of the panic of the function that defers it.
func asError(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	}
}
