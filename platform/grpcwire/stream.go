package grpcwire

import (
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stream is one call on a transport. All fields are guarded by the transport's mu.
type stream struct {
	transport *transport
	id        uint32
	window    int64     // bytes that may be sent
	room      sync.Cond // with the transport's mu: signals that sending may be possible

	header  []hpack.HeaderField // received
	trailer []hpack.HeaderField // received
	in      []byte              // received bytes of messages that were not taken yet
	came    uint64              // number of received bytes of messages
	limit   int                 // size limit of a message
	collect bool                // the body is taken at once, when it is complete; at the server's end only
	single  bool                // there is one message, which is taken when the stream has ended; at the client's end only
	noWait  bool                // it does not wait for its turn; at the client's end only
	counts  bool                // header and in count as held
	held    int                 // bytes of header and in, while they count
	shared  int                 // of these, the bytes that count among those of its address
	looks   int                 // how often it was found incomplete
	grant   int64               // receive window: bytes that the peer may still send
	owed    int64               // bytes that were taken but not yet added to the window again
	ended   bool                // the peer has ended its side
	said    bool                // this end has ended its side
	err     error               // why nothing more will be received or sent
	news    chan struct{}       // signals that something arrived, or that the stream ended; nil if nobody waits
	call    *call               // the call being served; nil at the client's end
}

// open begins a stream; mu is held.
func (w *transport) open(id uint32, s *stream) {
	s.transport, s.id, s.window, s.grant = w, id, w.initial, w.grants
	s.room.L = &w.mu
	w.streams[id] = s
	w.lastID = id
}

// fail ends a stream with an error, unless it has one already or the response is complete; mu is held.
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
	s.notify()
}

// notify wakes the goroutine that waits for received data; mu is held.
func (s *stream) notify() {
	if s.news == nil {
		return
	}
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// data handles a data frame. Windows count all of it, including padding (RFC 9113, section 6.9.1).
func (w *transport) data(f *http2.DataFrame) error {
	size := int64(f.Length)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.role.makeRoom()
	if w.owed += size; w.owed >= connWindow/2 { // independent of what was taken, so nobody can exceed it: the window of each stream limits its memory
		_ = w.encoder.WriteWindowUpdate(0, uint32(w.owed)) //nolint:gosec // G115: the window is less
		w.owed = 0
		if err := w.flushLater(); err != nil {
			return err
		}
	}
	s, err := w.stream(f.StreamID)
	switch {
	case err != nil:
		return err
	case s == nil && f.StreamID > w.opened: // it was refused or canceled by us, and the peer has been told
		return nil
	case s == nil:
		_ = w.encoder.WriteRSTStream(f.StreamID, http2.ErrCodeStreamClosed)
		return w.flushLater()
	case s.ended:
		return w.drop(s, http2.ErrCodeStreamClosed)
	case s.header == nil: // a response must begin with its header (RFC 9113, section 8.1), which is read without mu once there is a message
		return w.drop(s, http2.ErrCodeProtocol)
	case s.grant < size:
		return w.drop(s, http2.ErrCodeFlowControl)
	}
	s.grant -= size
	if err := w.add(s, f.Data(), f.StreamEnded()); err != nil {
		return err
	}
	if s.collect {
		return s.returnWindow(size)
	}
	return s.returnWindow(size - int64(len(f.Data()))) // padding counts as taken
}

// add adds received bytes to the stream; mu is held.
func (w *transport) add(s *stream, data []byte, end bool) error {
	s.in = append(s.in, data...)
	s.came += uint64(len(data))
	if s.ended = end; s.responseComplete() {
		s.room.Signal()
	}
	if s.counts { // must come before settle
		s.hold(len(data))
	}
	switch {
	case end && s.came != declaredLength(s.header, s.came):
		return w.drop(s, http2.ErrCodeProtocol)
	case s.counts && s.holdsTooMuch():
		if !s.collect {
			return w.drop(s, http2.ErrCodeEnhanceYourCalm)
		}
		s.call.port.requestOver(s, errHeld)
	case !s.collect:
		if !s.single || end || s.stuck() {
			s.notify()
		}
	case s.tooLong():
		s.call.port.requestOver(s, tooLarge(s.limit))
	case end:
		s.call.port.requestOver(s, nil)
	}
	return nil
}

// tooLong reports whether a message exceeds the limit, as soon as its prefix has arrived.
func (s *stream) tooLong() bool {
	if len(s.in) < prefix {
		return false
	}
	_, err := sizeOf(s.in, s.limit)
	return status.Code(err) == codes.ResourceExhausted || len(s.in) > s.limit+prefix
}

// stuck reports whether nothing more may arrive unless somebody looks at the message that has begun to arrive: it is larger than the window, or malformed, or leaves
// nothing of the window. Some servers do not end a response then. mu is held.
func (s *stream) stuck() bool {
	if len(s.in) < prefix {
		return false
	}
	size, err := sizeOf(s.in, s.limit)
	return err != nil || s.grant == 0 || int64(prefix+size-len(s.in)) > s.grant
}

// returnWindow adds n taken bytes to the receive window, and tells the peer once they are many; mu is held.
func (s *stream) returnWindow(n int64) error {
	if s.owed += n; s.owed < s.transport.grants/2 || !s.mayReceive() {
		return nil
	}
	_ = s.transport.encoder.WriteWindowUpdate(s.id, uint32(s.owed)) //nolint:gosec // G115: the window is less
	s.grant, s.owed = s.grant+s.owed, 0
	return s.transport.flushLater()
}

// responseComplete reports whether a client's call has its complete response: then the server will not open its window for the request any more. mu is held.
func (s *stream) responseComplete() bool { return s.call == nil && s.ended }

// mayReceive reports whether the peer may still send something; mu is held.
func (s *stream) mayReceive() bool { return !s.ended && s.err == nil }
