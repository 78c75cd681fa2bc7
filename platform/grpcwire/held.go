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

// hold counts n more bytes of incomplete requests; mu is held.
func (w *transport) hold(n int) {
	w.held += n
	w.allHeld.Add(int64(n))
}

// holdsTooMuch reports whether the incomplete requests of this connection take more memory than is free for those of others. A connection alone may take half
// of maxHeld, two may take a third each, and so on: nobody knows yet whose requests they are. mu is held.
func (w *transport) holdsTooMuch() bool {
	return w.held > alwaysHeld && int64(w.held) > maxHeld-w.allHeld.Load()
}

// count makes the request count towards the transport's held; mu is held.
func (s *stream) count() {
	s.counts = true
	s.transport.hold(s.headerSize())
}

// settle ends collecting: the request no longer counts towards the transport's held; mu is held.
func (s *stream) settle() {
	if s.counts {
		s.transport.hold(-s.headerSize() - len(s.in))
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

// wait counts a message of some size until read is called. The transport's mu is held.
func (c *call) wait(size int) (read func(), err error) {
	size = max(size, leastKept)
	if c.counted != nil {
		return c.counted.Wait(size)
	}
	return func() { _ = c.port.keep(-size) }, c.port.keep(size)
}

// keep counts n bytes of a message that waits for its client to read, until a call with -n. A connection may have as many as are free for others, and one message in
// any case. The transport's mu is held.
func (p *serverConn) keep(n int) error {
	s := p.server
	if most := maxUnsent * int64(s.opts.MaxRequest); n > 0 && p.unsent > 0 && int64(p.unsent+n) > most-s.unsent.Load()-int64(n) {
		return errUnsent
	}
	p.unsent += n
	s.unsent.Add(int64(n))
	return nil
}
