package grpcwire

import (
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stream is one call on a wire. All of it is guarded by the wire's mu.
type stream struct {
	wire   *wire
	id     uint32
	window int64     // bytes that may be sent
	room   sync.Cond // of the wire's mu: it may be that something can be sent

	header  []hpack.HeaderField // that came
	trailer []hpack.HeaderField // that came
	in      []byte              // of messages, that nobody has taken
	came    uint64              // bytes of messages
	limit   int                 // of a message
	collect bool                // all is taken at once, when it is whole
	counts  bool                // what is in it counts as held for the connection
	grant   int64               // bytes that may come
	owed    int64               // bytes that were taken and not granted again
	ended   bool                // the other end has said all
	said    bool                // this end has said all
	err     error               // why no more will come or go
	news    chan struct{}       // something came, or the stream ended; nil when nobody waits
	call    *call               // that is served; nil at the client's end
}

// open begins a stream; mu is held.
func (w *wire) open(id uint32, s *stream) {
	s.wire, s.id, s.window, s.grant = w, id, w.initial, streamWindow
	s.room.L = &w.mu
	w.streams[id] = s
	w.lastID = id
}

// fail ends a stream for both ends, unless it has ended or has its whole answer; mu is held.
func (s *stream) fail(err error) {
	if s.err != nil || s.trailer != nil {
		return
	}
	s.err = err
	s.room.Signal()
	s.settle()
	if s.call != nil && s.call.cancel != nil {
		s.call.cancel()
	}
	s.tell()
}

// tell wakes whoever waits for what comes; mu is held.
func (s *stream) tell() {
	if s.news == nil {
		return
	}
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// settle says that what was collected is no longer held for the connection; mu is held.
func (s *stream) settle() {
	if s.counts {
		s.wire.held -= len(s.in)
	}
	s.collect, s.counts = false, false
}

// data takes a frame of messages. Windows count all of it, padding too (RFC 9113, section 6.9.1).
func (w *wire) data(f *http2.DataFrame) error {
	size := int64(f.Length)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.grant -= size; w.grant < 0 {
		return http2.ConnectionError(http2.ErrCodeFlowControl)
	}
	if w.owed += size; w.owed >= connWindow/2 { // granted at once: what one stream may have here is bounded by its own window
		_ = w.encoder.WriteWindowUpdate(0, uint32(w.owed)) //nolint:gosec // G115: the window is less
		w.grant, w.owed = w.grant+w.owed, 0
		if err := w.flushLater(); err != nil {
			return err
		}
	}
	s, err := w.stream(f.StreamID)
	switch {
	case err != nil:
		return err
	case s == nil && f.StreamID > w.opened: // it was not taken, or we gave it up; the other end knows or soon will
		return nil
	case s == nil:
		_ = w.encoder.WriteRSTStream(f.StreamID, http2.ErrCodeStreamClosed)
		return w.flushLater()
	case s.ended:
		return w.drop(s, http2.ErrCodeStreamClosed)
	case s.header == nil: // the header of an answer says how to read it (RFC 9113, section 8.1), and is read without mu by who has a message
		return w.drop(s, http2.ErrCodeProtocol)
	case s.grant < size:
		return w.drop(s, http2.ErrCodeFlowControl)
	}
	s.grant -= size
	if err := w.add(s, f.Data(), f.StreamEnded()); err != nil {
		return err
	}
	if s.collect {
		return s.again(size)
	}
	return s.again(size - int64(len(f.Data()))) // nobody takes padding
}

// add adds what came to its stream; mu is held.
func (w *wire) add(s *stream, data []byte, end bool) error {
	s.in = append(s.in, data...)
	s.came += uint64(len(data))
	if s.ended = end; s.answered() {
		s.room.Signal()
	}
	if s.counts { // before anything that settles
		w.held += len(data)
	}
	if end && s.came != declaredLength(s.header, s.came) {
		return w.drop(s, http2.ErrCodeProtocol)
	}
	var err error
	switch {
	case s.counts && w.held > maxHeld:
		err = errHeld
	case !s.collect:
		s.tell()
		return nil
	case s.tooLong():
		err = tooLarge(s.limit)
	case !end:
		return nil
	}
	if !s.collect {
		return w.drop(s, http2.ErrCodeEnhanceYourCalm)
	}
	s.settle()
	if err != nil {
		s.in, s.err = nil, err
	}
	return w.over(s)
}

// tooLong reports whether a message is larger than it may be, as soon as it says so.
func (s *stream) tooLong() bool {
	if len(s.in) < prefix {
		return false
	}
	_, err := sizeOf(s.in, s.limit)
	return status.Code(err) == codes.ResourceExhausted || len(s.in) > s.limit+prefix
}

// over tells that a collected stream is whole, or that it has failed; mu is held.
func (w *wire) over(s *stream) error {
	s.tell()
	w.role.whole(s)
	return nil
}

// again grants bytes again, once they are many; mu is held.
func (s *stream) again(n int64) error {
	if s.owed += n; s.owed < streamWindow/2 || !s.goesOn() {
		return nil
	}
	_ = s.wire.encoder.WriteWindowUpdate(s.id, uint32(s.owed)) //nolint:gosec // G115: the window is less
	s.grant, s.owed = s.grant+s.owed, 0
	return s.wire.flushLater()
}

// answered reports whether a call of ours has its whole answer: the server grants no more of the request then. mu is held.
func (s *stream) answered() bool { return s.call == nil && s.ended }

// goesOn reports whether more may come; mu is held.
func (s *stream) goesOn() bool { return !s.ended && s.err == nil }
