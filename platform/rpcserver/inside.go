package rpcserver

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/rpcserver/instrument"
)

// inside connects this process with its own services. A unary call runs on the goroutine of its caller: it has the spans and metrics of any other call and passes the
// same interceptors, but neither request nor answer is sent anywhere. A stream goes over gRPC's transport, in memory. See docs/adr/0027.
type inside struct {
	*Server
	methods  map[string]insideMethod // by path
	client   *instrument.ClientCalls
	service  *instrument.ServerCalls
	overPipe *grpc.ClientConn
}

var _ grpc.ClientConnInterface = (*inside)(nil)

type insideMethod struct {
	impl   any
	handle grpc.MethodHandler
}

// register adds the unary methods of a service.
func (c *inside) register(desc *grpc.ServiceDesc, impl any) {
	for _, m := range c.admitting(desc, c.decodeInside, decodeAtOnce).Methods {
		c.methods["/"+desc.ServiceName+"/"+m.MethodName] = insideMethod{impl, m.Handler}
	}
}

// decodeInside takes over the turn of the HTTP request behind a call, which needs no other.
func (s *Server) decodeInside(ctx context.Context, decode func(any) error, req any) error {
	admissionOf(ctx).endTurn = s.turns.of(ctx)
	return decode(req)
}

// NewStream opens a stream.
func (c *inside) NewStream(ctx context.Context, desc *grpc.StreamDesc, path string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	return c.overPipe.NewStream(ctx, desc, path, opts...)
}

// Invoke makes a unary call. Of opts it knows those that ask for the header and the trailer of the answer.
func (c *inside) Invoke(ctx context.Context, path string, req, answer any, opts ...grpc.CallOption) error {
	if err := checkREST(ctx, path, req); err != nil {
		return err
	}
	begin := time.Now()
	ctx = c.client.TagRPC(withTurnOf(ctx), &stats.RPCTagInfo{FullMethodName: path})
	err := c.serve(ctx, path, req, answer, opts)
	if err != nil && ctx.Err() != nil {
		err = status.FromContextError(ctx.Err()).Err() // whatever the service made of it
	}
	c.client.HandleRPC(ctx, &stats.End{Client: true, BeginTime: begin, EndTime: time.Now(), Error: err})
	return err
}

// serve is what gRPC's server does for a call.
//
//nolint:contextcheck // the context of the service has nothing of outer but the end
func (c *inside) serve(outer context.Context, path string, req, answer any, opts []grpc.CallOption) (err error) {
	m, known := c.methods[path]
	if !known {
		return status.Errorf(codes.Unimplemented, "unknown method %s", path)
	}
	begin, said := time.Now(), &insideStream{path: path}
	md, _ := metadata.FromOutgoingContext(outer)
	ctx, cancel := context.WithCancel(bare{outer})
	defer cancel()
	ctx = peer.NewContext(metadata.NewIncomingContext(ctx, md), &peer.Peer{Addr: c.pipe.Addr(), LocalAddr: c.pipe.Addr()})
	ctx = c.service.TagRPC(grpc.NewContextWithServerTransportStream(ctx, said), &stats.RPCTagInfo{FullMethodName: path})
	c.service.HandleRPC(ctx, &stats.InHeader{FullMethod: path, LocalAddr: c.pipe.Addr()})
	defer func() {
		c.service.HandleRPC(ctx, &stats.End{BeginTime: begin, EndTime: time.Now(), Error: err})
	}()
	resp, err := m.handle(m.impl, ctx, func(into any) error { return transfer(into, req) }, c.interceptUnary)
	said.tell(opts)
	if err != nil {
		return statusError(err)
	}
	return transfer(answer, resp)
}

// statusError returns the error that a client of gRPC gets for err.
func statusError(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	return status.FromContextError(err).Err()
}

// transfer copies a message into another one, as if it were sent.
func transfer(into, from any) error {
	to, ok := into.(proto.Message)
	message, also := from.(proto.Message)
	if !ok || !also {
		return fmt.Errorf("a %T cannot be sent as a %T", from, into)
	}
	if to.ProtoReflect().Descriptor() == message.ProtoReflect().Descriptor() {
		proto.Merge(to, message)
		return nil
	}
	encoded, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	return bounded.Unmarshal(encoded, to)
}

// bare is a context without its values, which are those of the caller's side. It ends as before.
type bare struct{ context.Context } //nolint:containedctx // it is a context

// Value returns nothing.
func (bare) Value(any) any { return nil }

// AfterFunc lets contexts that are derived from this one end without a goroutine that waits for that.
func (b bare) AfterFunc(do func()) (stop func() bool) { return context.AfterFunc(b.Context, do) }

// insideStream keeps what a handler says besides its answer.
type insideStream struct {
	path            string
	header, trailer metadata.MD
}

// Method is part of grpc.ServerTransportStream.
func (s *insideStream) Method() string { return s.path }

// SetHeader is part of grpc.ServerTransportStream.
func (s *insideStream) SetHeader(md metadata.MD) error {
	s.header = metadata.Join(s.header, md)
	return nil
}

// SendHeader is part of grpc.ServerTransportStream.
func (s *insideStream) SendHeader(md metadata.MD) error { return s.SetHeader(md) }

// SetTrailer is part of grpc.ServerTransportStream.
func (s *insideStream) SetTrailer(md metadata.MD) error {
	s.trailer = metadata.Join(s.trailer, md)
	return nil
}

// tell gives the client what it has asked for.
func (s *insideStream) tell(opts []grpc.CallOption) {
	for _, o := range opts {
		switch o := o.(type) {
		case grpc.HeaderCallOption:
			*o.HeaderAddr = s.header
		case grpc.TrailerCallOption:
			*o.TrailerAddr = s.trailer
		}
	}
}
