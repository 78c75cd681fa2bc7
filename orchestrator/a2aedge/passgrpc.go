package a2aedge

import (
	"context"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/rpcserver"
)

// Register registers the service. Requests of operations that may pass are received as an Empty message, which keeps all bytes as unknown fields; a
// request that has to be tracked is decoded from these.
func Register(r grpc.ServiceRegistrar, s *Service) {
	desc := a2apb.A2AService_ServiceDesc
	desc.Methods, desc.Streams = slices.Clone(desc.Methods), slices.Clone(desc.Streams)
	for i, m := range desc.Methods {
		if slices.Contains(passing, m.MethodName) {
			desc.Methods[i].Handler = s.unary(methods[m.MethodName], m.Handler)
		}
	}
	for i, m := range desc.Streams {
		if slices.Contains(passing, m.StreamName) {
			desc.Streams[i].Handler = s.streaming(methods[m.StreamName], m.Handler)
		}
	}
	r.RegisterService(&desc, s)
}

func (s *Service) unary(m *method, tracked grpc.MethodHandler) grpc.MethodHandler {
	return func(srv any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		raw := &emptypb.Empty{}
		if err := decode(raw); err != nil {
			return nil, err
		}
		handle := func(ctx context.Context, _ any) (any, error) {
			way, request, err := s.grpcPassage(ctx, m, raw)
			if err != nil {
				return nil, err
			}
			if way != nil {
				ctx, release := rpcserver.UntilCutOff(ctx)
				defer release()
				resp, err := way.Invoke(withExtensions(ctx), m.path(), request)
				if err != nil {
					return nil, passageError(rpcserver.WhyEnded(ctx, err))
				}
				return resp, nil
			}
			return tracked(srv, ctx, func(req any) error { return decodeRaw(raw, req) }, nil)
		}
		if intercept == nil {
			return handle(ctx, raw)
		}
		return intercept(ctx, raw, &grpc.UnaryServerInfo{Server: srv, FullMethod: m.path()}, handle)
	}
}

func (s *Service) streaming(m *method, tracked grpc.StreamHandler) grpc.StreamHandler {
	return func(srv any, stream grpc.ServerStream) error {
		raw := &emptypb.Empty{}
		if err := stream.RecvMsg(raw); err != nil {
			return err
		}
		way, request, err := s.grpcPassage(stream.Context(), m, raw)
		if err != nil {
			return err
		}
		if way == nil {
			return tracked(srv, &replayed{ServerStream: stream, raw: raw})
		}
		opened := func() { _ = stream.SendHeader(nil) } // if the caller is gone, the call ends
		return passageError(way.Stream(withExtensions(stream.Context()), m.path(), request, opened, func(resp *emptypb.Empty) error { return stream.SendMsg(resp) }))
	}
}

// replayed is a stream whose one request was received already.
type replayed struct {
	grpc.ServerStream
	raw *emptypb.Empty
}

func (r *replayed) RecvMsg(req any) error { return decodeRaw(r.raw, req) }

func decodeRaw(raw *emptypb.Empty, req any) error {
	m, ok := req.(proto.Message)
	if !ok {
		return fault.New(fault.Internal, "REQUEST_INVALID", "the request is a %T", req)
	}
	kind, body := m.ProtoReflect().Descriptor(), raw.ProtoReflect().GetUnknown()
	if err := bounded.Message(body, kind); err != nil {
		return fault.New(fault.InvalidArgument, "REQUEST_INVALID", "the request cannot be read: %s", err)
	}
	if err := proto.Unmarshal(body, m); err != nil {
		return fault.New(fault.InvalidArgument, "REQUEST_INVALID", "the request is not a %s", kind.Name())
	}
	return nil
}

// grpcPassage returns the passage for a call and the request to send there, or nil when the call is tracked.
func (s *Service) grpcPassage(ctx context.Context, m *method, raw *emptypb.Empty) (*agentclient.GRPCPassage, *emptypb.Empty, error) {
	request := raw.ProtoReflect().GetUnknown()
	at, ok := m.peek(request)
	if !ok {
		return nil, nil, nil
	}
	a, err := s.passableAgent(ctx, at, request)
	if a == nil || err != nil {
		return nil, nil, err
	}
	if err := checkCall(ctx, nil); err != nil {
		return nil, nil, err
	}
	way := s.passages.Pool.PassageOverGRPC(a.Name, &a.Card)
	if way == nil {
		return nil, nil, nil
	}
	sent := &emptypb.Empty{}
	sent.ProtoReflect().SetUnknown(m.retarget(request, way.Tenant))
	return way, sent, nil
}

// peek reads what a request says about the call without decoding the rest. ok is false for a request that says it twice.
func (m *method) peek(request []byte) (at callTarget, ok bool) {
	fields := m.request.ProtoReflect().Descriptor().Fields()
	tenant, named, message := fields.ByName("tenant"), m.task(), fields.ByName("message")
	messages := 0
	ok = scan(request, func(n protowire.Number, _, value []byte) bool {
		switch {
		case tenant != nil && n == tenant.Number():
			at.agent = string(value)
		case named != nil && n == named.Number():
			at.task = string(value)
		case message != nil && n == message.Number():
			messages++
			task := message.Message().Fields().ByName("task_id").Number()
			return messages == 1 && scan(value, func(n protowire.Number, _, value []byte) bool {
				if n == task {
					at.task = string(value)
				}
				return true
			})
		}
		return true
	})
	return at, ok
}

// task returns the field of a request that holds the id of its task, or nil when there is none.
func (m *method) task() protoreflect.FieldDescriptor {
	fields := m.request.ProtoReflect().Descriptor().Fields()
	if f := fields.ByName("task_id"); f != nil { // where there is a task_id, id is the id of something else
		return f
	}
	return fields.ByName("id")
}

// taskNames returns both JSON names of that field.
func (m *method) taskNames() (name, other string) {
	if f := m.task(); f != nil {
		return f.JSONName(), f.TextName()
	}
	return "", ""
}

// retarget returns a request with another tenant, or without one.
func (m *method) retarget(request []byte, tenant string) []byte {
	n := m.request.ProtoReflect().Descriptor().Fields().ByName("tenant").Number()
	out := make([]byte, 0, len(request)+len(tenant)+4)
	if tenant != "" {
		out = protowire.AppendString(protowire.AppendTag(out, n, protowire.BytesType), tenant)
	}
	scan(request, func(at protowire.Number, field, _ []byte) bool {
		if at != n {
			out = append(out, field...)
		}
		return true
	})
	return out
}

// scan calls visit for the fields of an encoded message with the number, the whole field, and its content if that is bytes. It reports whether it has
// read everything.
func scan(b []byte, visit func(n protowire.Number, field, value []byte) bool) bool {
	for len(b) > 0 {
		n, kind, head := protowire.ConsumeTag(b)
		if head < 0 {
			return false
		}
		size := protowire.ConsumeFieldValue(n, kind, b[head:])
		if size < 0 {
			return false
		}
		var value []byte
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(b[head:])
		}
		if !visit(n, b[:head+size], value) {
			return false
		}
		b = b[head+size:]
	}
	return true
}
