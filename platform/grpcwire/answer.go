package grpcwire

import (
	"context"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/apijson"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// unary responds with one message; header, message and status are one write if the windows allow.
func (c *call) unary(request []byte) error {
	answer, err := c.method.unary(c.method.impl, c.ctx, func(m any) error { return c.decode(request, m) }, c.port.server.opts.Unary)
	if err != nil {
		return err
	}
	return c.answer(answer)
}

// streaming responds with any number of messages.
func (c *call) streaming(request []byte) error {
	s := &serverStream{call: c, request: request}
	intercept := c.port.server.opts.Stream
	if intercept == nil {
		return c.method.stream(c.method.impl, s)
	}
	return intercept(c.method.impl, s, &grpc.StreamServerInfo{FullMethod: c.path, IsServerStream: true}, c.method.stream)
}

// answer sends a response message.
func (c *call) answer(m any) error {
	message, ok := m.(proto.Message)
	if !ok {
		return status.Errorf(codes.Internal, "the answer is a %T", m)
	}
	encoded, err := proto.Marshal(message)
	if err != nil {
		return status.Errorf(codes.Internal, "the answer cannot be encoded: %v", err)
	}
	c.counted, _ = m.(Counted)
	return c.send(encoded)
}

func (c *call) send(message []byte) error {
	return c.locked(func() error {
		if err := c.stream.send(c.ctx, message, false); err != nil {
			return statusOfSend(err)
		}
		if c.method == nil || c.method.stream != nil { // a unary response is written together with its status
			c.port.flush()
		}
		return nil
	})
}

// locked calls say with both mutexes held. It fails if nothing can be sent any more, but a request that was too large still gets its status.
func (c *call) locked(say func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.port.mu.Lock()
	defer c.port.mu.Unlock()
	if c.port.streams[c.stream.id] != c.stream {
		return statusOfReset(c.stream.err)
	}
	return say()
}

// sendHeader sends the header if that is not done yet. Both mutexes are held.
func (c *call) sendHeader() {
	if !c.begun {
		c.begun = true
		c.stream.head(false, appendMetadata(answerHeader(), c.header)...)
	}
}

// Method is part of grpc.ServerTransportStream.
func (c *call) Method() string { return c.path }

// SetHeader is part of grpc.ServerTransportStream.
func (c *call) SetHeader(md metadata.MD) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun {
		return status.Error(codes.Internal, "the header is already sent")
	}
	c.header = metadata.Join(c.header, md)
	return nil
}

// SendHeader is part of grpc.ServerTransportStream.
func (c *call) SendHeader(md metadata.MD) error {
	if err := c.SetHeader(md); err != nil {
		return err
	}
	return c.locked(func() error {
		c.sendHeader()
		c.port.flush()
		return nil
	})
}

// SetTrailer is part of grpc.ServerTransportStream.
func (c *call) SetTrailer(md metadata.MD) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trailer = metadata.Join(c.trailer, md)
	return nil
}

// serverStream is the grpc.ServerStream of a call with one request.
type serverStream struct {
	*call
	request []byte
	taken   bool
}

var _ grpc.ServerStream = (*serverStream)(nil)

func (a *serverStream) Context() context.Context { return a.ctx }

func (a *serverStream) SetTrailer(md metadata.MD) { _ = a.call.SetTrailer(md) }

func (a *serverStream) SendMsg(m any) error { return a.answer(m) }

func (a *serverStream) RecvMsg(m any) error {
	if a.taken {
		return io.EOF
	}
	a.taken = true
	return a.decode(a.request, m)
}

// Undecoded is a request that is decoded later: what a handler decodes into one is the request as it arrived.
type Undecoded []byte

// Decode decodes the request into m. That it cannot be decoded is the caller's mistake; grpc-go would answer Internal.
func (u Undecoded) Decode(m any) error {
	message, ok := m.(proto.Message)
	if !ok {
		return status.Errorf(codes.Internal, "the request is to be a %T", m)
	}
	if err := bounded.Unmarshal(u, message); err != nil {
		return rpcfault.Status(fault.New(fault.InvalidArgument, "REQUEST_UNREADABLE", "the request cannot be read: %s", apijson.Problem(err))).Err()
	}
	return nil
}

// decode decodes a request with its prefix. It is decompressed only now: the handler may have refused the caller before.
func (c *call) decode(request []byte, m any) error {
	c.admitted()
	request, err := c.stream.decompressed(request)
	if err != nil {
		return err
	}
	if later, ok := m.(*Undecoded); ok {
		*later = request
		return nil
	}
	return Undecoded(request).Decode(m)
}
