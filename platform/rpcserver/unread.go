package rpcserver

import (
	"context"
	"runtime"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/share"
)

const (
	// maxUnread is the number of bytes of answers over gRPC that wait for their callers to read them, as a multiple of Options.MaxBodyBytes.
	maxUnread = 64

	// leastUnread is how many bytes an answer counts at least, which is about what gRPC keeps of a call until its answer is written.
	leastUnread = 8 << 10

	// followed is the capacity in bytes that an encoding has at least: gRPC does not return smaller ones.
	followed = 2 << 10
)

// countAnswers counts the answer of a unary call over gRPC's transport, which is written only after the call. That of a public call counts by address.
func (s *Server) countAnswers(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	resp, err := s.interceptUnary(ctx, req, info, next)
	message, ok := resp.(proto.Message)
	if err != nil || !ok {
		return resp, err
	}
	size := proto.Size(message)
	if size < leastUnread && s.fromInside(ctx) { // where everything is read at once
		return message, nil
	}
	in, who := s.reader(ctx)
	leave, has := in.Take(who, max(size, leastUnread))
	if leave == nil {
		return nil, answersUnread(has)
	}
	return newCounted(message, size, leave), nil
}

// reader returns who is to read the answer of a unary call, and among whose answers it counts.
func (s *Server) reader(ctx context.Context) (among *share.Bytes[caller], who caller) {
	if a := admissionOf(ctx); a != nil {
		return s.unread, callerOf(a.caller)
	}
	return s.strangers.unread, s.stranger(ctx)
}

func answersUnread(has int) error {
	return rpcfault.Status(retryLater(time.Second, "ANSWERS_UNREAD",
		"this caller has %d bytes of answers that it does not read, and may not have more than are free for others; read them, or ask for less at a time", has)).Err()
}

// newCounted returns a message, which has size bytes when it is encoded, that counts until its encoding is written or thrown away: gRPC's flow control lets a caller
// read it when it likes, also when the call is over for everybody else.
func newCounted(message proto.Message, size int, leave func()) *counted {
	c := &counted{message, size, leave}
	runtime.AddCleanup(c, func(leave func()) { leave() }, leave) // gRPC forgets encodings when a connection breaks
	return c
}

// counted is an answer that counts, and the pool to which its encoding is returned.
type counted struct {
	message proto.Message
	size    int // bytes of its encoding
	leave   func()
}

// encode returns the encoding, which keeps c until it is freed, but not the message, which is much larger.
func (c *counted) encode() (mem.BufferSlice, error) {
	data, err := proto.MarshalOptions{}.MarshalAppend(make([]byte, 0, max(c.size, followed)), c.message)
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
