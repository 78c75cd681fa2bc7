package rpcserver

import (
	"context"
	"runtime"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// maxUnread is the number of bytes of answers over gRPC that wait for their callers to read them, as a multiple of Options.MaxBodyBytes.
const maxUnread = 64

// countAnswers counts the answer of a unary call over gRPC's transport, which is written only after the call.
func (s *Server) countAnswers(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	resp, err := s.interceptUnary(ctx, req, info, next)
	a, known := ctx.Value(admissionKey{}).(*admission)
	message, ok := resp.(proto.Message)
	if err != nil || !known || !ok {
		return resp, err
	}
	return s.countAnswer(callerOf(a.caller), message)
}

// countAnswer returns a message that counts until its encoding is written or thrown away: gRPC's flow control lets a caller read it when it likes, also when the
// call is over for everybody else. A small one, whose encoding gRPC does not follow, does not count.
func (s *Server) countAnswer(who caller, message proto.Message) (any, error) {
	size := proto.Size(message)
	if mem.IsBelowBufferPoolingThreshold(size) {
		return message, nil
	}
	leave, has := s.unread.take(who, size)
	if leave == nil {
		return nil, rpcfault.Status(retryLater(time.Second, "ANSWERS_UNREAD",
			"this caller has %d bytes of answers that it does not read, and may not have more than are free for others; read them, or ask for less at a time", has)).Err()
	}
	c := &counted{message, leave}
	runtime.AddCleanup(c, func(leave func()) { leave() }, leave) // gRPC forgets encodings when a connection breaks
	return c, nil
}

// counted is an answer that counts, and the pool to which its encoding is returned.
type counted struct {
	message proto.Message
	leave   func()
}

// encode returns the encoding, which keeps c until it is freed, but not the message, which is much larger.
func (c *counted) encode() (mem.BufferSlice, error) {
	data, err := proto.Marshal(c.message)
	c.message = nil
	if err != nil {
		c.leave()
		return nil, err
	}
	return mem.BufferSlice{mem.NewBuffer(&data, c)}, nil
}

// Get is not used: nothing is taken from this pool.
func (*counted) Get(length int) *[]byte { return new(make([]byte, length)) }

// Put is called when the encoding was written or thrown away.
func (c *counted) Put(*[]byte) { c.leave() }
