package grpcwire

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"
)

// relay forwards a call of a method that is not registered to Options.Other, message by message. Some clients make all their calls over one connection.
func (c *call) relay() {
	defer c.port.finished(c.stream)
	ctx, err := c.context()
	if err != nil {
		c.end(err)
		return
	}
	defer c.cancel()
	c.ctx = ctx
	c.end(c.passOn())
}

func (c *call) passOn() error {
	md, _ := metadata.FromIncomingContext(c.ctx)
	ctx, cancel := context.WithCancelCause(metadata.NewOutgoingContext(c.ctx, md))
	defer cancel(nil)
	other, err := c.port.server.opts.Other.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, c.path)
	if err != nil {
		return err
	}
	c.admitted()
	go func() {
		if err := c.passRequests(other); err != nil {
			cancel(err)
		}
	}()
	md, err = other.Header()
	if err == nil && md != nil {
		err = c.SendHeader(md)
	}
	for err == nil {
		m := &emptypb.Empty{} // keeps all bytes as unknown fields
		if err = other.RecvMsg(m); err == nil {
			err = c.send(m.ProtoReflect().GetUnknown())
		}
	}
	_ = c.SetTrailer(other.Trailer())
	switch cause := context.Cause(ctx); {
	case errors.Is(err, io.EOF):
		return nil
	case cause != nil: // the problem with the request, rather than the cancellation that followed
		return cause
	default:
		return err
	}
}

// passRequests forwards the client's messages until the last one.
func (c *call) passRequests(other grpc.ClientStream) error {
	for {
		message, err := c.nextRequest()
		if errors.Is(err, io.EOF) {
			return other.CloseSend()
		}
		if err != nil {
			return err
		}
		m := &emptypb.Empty{}
		m.ProtoReflect().SetUnknown(message)
		if err := other.SendMsg(m); err != nil {
			return nil //nolint:nilerr // the stream is over, and RecvMsg says why
		}
	}
}

// nextRequest waits for a message; io.EOF is the end.
func (c *call) nextRequest() ([]byte, error) {
	for {
		message, more, err := c.takeRequest()
		switch {
		case err != nil:
			return nil, err
		case message != nil:
			return c.stream.decompressed(message)
		case !more:
			return nil, io.EOF
		}
		select {
		case <-c.stream.news:
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		}
	}
}

func (c *call) takeRequest() (message []byte, more bool, err error) {
	c.port.mu.Lock()
	defer c.port.mu.Unlock()
	return c.stream.next(true)
}
