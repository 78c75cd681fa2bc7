package rpcserver

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/share"
)

const (
	maxReceived = 32        // requests of one caller that gRPC's transport receives at a time
	talkWait    = time.Hour // for a stream in both directions, whose client may be silent

	// streamWindow is how many bytes of a request, at most, that transport takes before somebody receives the request. It is the least that there may be.
	streamWindow = 65535

	connWindow = 4 << 20 // bytes that may be on their way on one connection; they do not wait here
)

// intake bounds how many requests of one caller are received at a time: each may have Options.MaxBodyBytes, and its sender may leave out the end. The others wait
// with what fits into the window of their stream, which a small request does.
type intake struct {
	callers *share.Turns[caller] // one for each request that is received
	wait    time.Duration        // how long that takes at the most
}

func newIntake(most int, wait time.Duration) *intake {
	return &intake{callers: share.NewTurns[caller](most), wait: wait}
}

// receive calls decode, which receives a request of who, as soon as one more may be received. It returns the error of decode or of ctx, or InvalidArgument when the
// request is not there in time: then the call has to end, which ends decode.
func (i *intake) receive(ctx context.Context, who caller, decode func(any) error, req any) error {
	end, err := i.callers.Take(ctx, who)
	if err != nil {
		return ctx.Err()
	}
	defer end()
	late := time.NewTimer(i.wait)
	defer late.Stop()
	read := make(chan error, 1)
	go func() { read <- decode(req) }()
	select {
	case err := <-read:
		return err
	case <-late.C:
		return rpcfault.Status(fault.New(fault.InvalidArgument, "REQUEST_UNREADABLE", "the request cannot be read: it did not come within %s", i.wait)).Err()
	}
}

// receiving is the receiver over gRPC's transport.
func (s *Server) receiving(stream grpc.ServerStream, info *grpc.StreamServerInfo) grpc.ServerStream {
	in := s.intake
	switch {
	case s.opts.Rules[info.FullMethod].Public:
		return publicStream{stream, s}
	case info.IsClientStream: // a caller need not have anything to say
		in = s.talks
	}
	return knownStream{stream, in, s.turns}
}

// knownStream is a stream whose caller is known.
type knownStream struct {
	grpc.ServerStream
	intake *intake
	turns  *turns
}

// RecvMsg receives the next message when the caller may have one more received, and decodes it when it is its turn.
func (k knownStream) RecvMsg(message any) error {
	ctx, body := k.Context(), &undecoded{}
	if err := k.intake.receive(ctx, sender(ctx), k.ServerStream.RecvMsg, body); err != nil {
		return err
	}
	defer body.data.Free()
	if k.turns.of(ctx) == nil {
		_, end, err := k.turns.take(ctx, body.data.Len())
		if err != nil {
			return rpcfault.Status(err).Err()
		}
		defer end()
	}
	return body.decode(message)
}
