package otlp

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // senders may compress
	"google.golang.org/protobuf/types/known/emptypb"
)

// exporter is the service in gRPC's terms. Requests and answers are transported as unknown fields of an empty message, which keeps their bytes
// unchanged: the body is checked before it is decoded, by the same code as over HTTP.
type exporter interface {
	exportBytes(ctx context.Context, in *emptypb.Empty) (*emptypb.Empty, error)
}

var serviceDesc = grpc.ServiceDesc{
	ServiceName: serviceName,
	HandlerType: (*exporter)(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "Export", Handler: handleExport}},
	Metadata:    "opentelemetry/proto/collector/trace/v1/trace_service.proto",
}

// RegisterGRPC registers the OTLP trace service. The caller's interceptors authenticate, and map faults to statuses.
func (r *Receiver) RegisterGRPC(s grpc.ServiceRegistrar) { s.RegisterService(&serviceDesc, r) }

//nolint:revive // the order of the arguments is gRPC's
func handleExport(srv any, ctx context.Context, decode func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
	in := new(emptypb.Empty)
	if err := decode(in); err != nil {
		return nil, err
	}
	e, ok := srv.(exporter)
	if !ok {
		return nil, fmt.Errorf("%T is no trace service", srv)
	}
	handler := func(ctx context.Context, req any) (any, error) {
		in, ok := req.(*emptypb.Empty)
		if !ok {
			return nil, fmt.Errorf("%T is no trace request", req)
		}
		return e.exportBytes(ctx, in)
	}
	if interceptor == nil {
		return handler(ctx, in)
	}
	return interceptor(ctx, in, &grpc.UnaryServerInfo{Server: srv, FullMethod: exportMethod}, handler)
}

func (r *Receiver) exportBytes(ctx context.Context, in *emptypb.Empty) (*emptypb.Empty, error) {
	p, err := admit(ctx)
	if err != nil {
		return nil, err
	}
	traces, err := decode(in.ProtoReflect().GetUnknown(), false)
	if err != nil {
		return nil, err
	}
	resp, err := r.receive(ctx, p, traces)
	if err != nil {
		return nil, err
	}
	body, err := resp.MarshalProto()
	if err != nil {
		return nil, fmt.Errorf("encoding the answer: %w", err)
	}
	out := new(emptypb.Empty)
	out.ProtoReflect().SetUnknown(body)
	return out, nil
}
