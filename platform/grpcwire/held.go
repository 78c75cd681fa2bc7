package grpcwire

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	maxHeld    = 128 << 20 // bytes of incomplete requests of a server, with their headers
	alwaysHeld = 16 << 10  // bytes of them that each connection may have, so that small requests pass at any time
	maxUnsent  = 64        // bytes of messages of a server that wait for their clients to read, as a multiple of Options.MaxRequest
	leastKept  = 16 << 10  // bytes that such a message counts at least, which is about what its call takes while it waits
)

var errUnsent = status.Error(codes.ResourceExhausted, "the answers of this connection that are not read are too large together; read them, or ask for less at a time")

var errHeld = status.Error(codes.ResourceExhausted, "the requests that are not whole yet are, with their headers, too large together; send fewer at a time or retry later")

// hold counts n more bytes of a request that is not whole; mu is held.
func (s *stream) hold(n int) {
	s.held += n
	s.transport.held += n
	if s.shared > s.held {
		s.share()
	}
}

// share counts what the stream holds among all that those at its address hold; it returns false if that takes more memory than is free for others. One address alone
// may take half of maxHeld, two may take a third each, and so on: nobody knows yet whose requests they are. mu is held.
func (s *stream) share() (ok bool) {
	w := s.transport
	if _, ok = w.allHeld.ResizeWithin(w.origin, s.shared, s.held); ok {
		s.shared = s.held
	}
	return ok
}

// holdsTooMuch reports whether the request has to end because it is not whole and there is no room for it; mu is held.
func (s *stream) holdsTooMuch() bool {
	return (s.transport.held > alwaysHeld || s.shared > 0) && !s.share()
}

// count makes the request count, with its header; mu is held.
func (s *stream) count() {
	s.counts = true
	s.hold(s.headerSize())
}

// settle ends collecting: the request no longer counts; mu is held.
func (s *stream) settle() {
	if s.counts {
		s.hold(-s.held)
	}
	s.collect, s.counts = false, false
}

// headerSize returns about how many bytes of memory the header takes. A field that the peer has sent before may be a single byte in a frame.
func (s *stream) headerSize() (size int) {
	for _, f := range s.header {
		size += int(f.Size())
	}
	return size
}

// Counted is an answer to a unary call that counts while it waits for its client to read. Handlers and interceptors may return one; other answers count by their
// connection.
type Counted interface {
	proto.Message
	// Wait counts an answer of some size in bytes until it calls read. An error is what the client gets instead of the answer.
	Wait(size int) (read func(), err error)
}

// wait counts a message of some size until read is called. A connection may have as many bytes as are free for others, and one message in any case.
func (c *call) wait(size int) (read func(), err error) {
	size = max(size, leastKept)
	if c.counted != nil {
		return c.counted.Wait(size)
	}
	if read, _ = c.port.server.unsent.Take(c.port, size); read == nil {
		return nil, errUnsent
	}
	return read, nil
}
