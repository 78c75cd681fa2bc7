package grpcwire

import (
	"context"
	"encoding/binary"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// head writes a header or a trailer, in as many frames as needed; mu is held.
func (s *stream) head(end bool, fields ...hpack.HeaderField) {
	w := s.transport
	w.block.Reset()
	for _, f := range fields {
		_ = w.table.WriteField(f) // writing to a buffer cannot fail
	}
	rest := w.block.Bytes()
	part := rest[:min(len(rest), w.maxFrame)]
	rest = rest[len(part):]
	_ = w.encoder.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: part, EndStream: end, EndHeaders: len(rest) == 0})
	for len(rest) > 0 {
		part = rest[:min(len(rest), w.maxFrame)]
		rest = rest[len(part):]
		_ = w.encoder.WriteContinuation(s.id, len(rest) == 0, part)
	}
	w.pings = 0
}

// send writes a message as the windows allow, waiting for them to open until ctx is done. mu is held, and released while it waits.
func (s *stream) send(ctx context.Context, message []byte, end bool) error {
	w := s.transport
	if size := prefix + len(message); w.fits(s, size) { // the usual case
		s.sendHeader()
		w.message = append(binary.BigEndian.AppendUint32(append(w.message[:0], 0), uint32(len(message))), message...) //nolint:gosec // G115: messages are bounded
		w.write(s, w.message, end)
		return nil
	}
	if s.call != nil {
		read, err := s.call.wait(len(message))
		if err != nil {
			return err
		}
		defer read()
	}
	s.sendHeader()
	rest := append(binary.BigEndian.AppendUint32(make([]byte, 1, prefix+len(message)), uint32(len(message))), message...) //nolint:gosec // G115: messages are bounded
	defer context.AfterFunc(ctx, s.wake)()
	defer w.wakeNext()
	for len(rest) > 0 {
		n, err := w.await(ctx, s)
		if err != nil {
			return err
		}
		part := rest[:min(len(rest), n)]
		rest = rest[len(part):]
		w.write(s, part, end && len(rest) == 0)
	}
	return nil
}

// sendHeader sends what comes before the first message of an answer; that of a request is sent already. mu is held.
func (s *stream) sendHeader() {
	if s.call != nil {
		s.call.sendHeader()
	}
}

// fits reports whether a message can be written at once, in one frame; mu is held.
func (w *transport) fits(s *stream, size int) bool {
	return s.err == nil && len(w.out) <= maxPending && size <= w.maxFrame && int64(size) <= min(w.window, s.window)
}

// await waits until something can be written, and returns how many bytes; mu is held.
func (w *transport) await(ctx context.Context, s *stream) (int, error) {
	for {
		switch {
		case s.err != nil:
			return 0, s.err
		case s.responseComplete():
			return 0, errAnswered
		case ctx.Err() != nil:
			return 0, ctx.Err()
		}
		if n := min(w.window, s.window, int64(w.maxFrame)); n > 0 && len(w.out) <= maxPending {
			return int(n), nil
		}
		if len(w.out) > 0 && !w.writing {
			if s.call != nil {
				w.flush()
				continue
			}
			w.flushAsync() // a client's call must end in time even if the server does not read
		}
		w.blocked[s] = struct{}{}
		w.wakeNext()
		s.room.Wait()
		delete(w.blocked, s)
	}
}

// wakeNext wakes one of the waiting streams that can continue. That stream calls wakeNext in turn when it has sent what it can, so a peer that opens a window by a byte wakes
// one call and not thousands. mu is held.
func (w *transport) wakeNext() {
	if w.window <= 0 || len(w.out) > maxPending {
		return
	}
	for s := range w.blocked {
		if s.window > 0 {
			s.room.Signal()
			return
		}
	}
}

// wake makes a stream check again whether it can continue.
func (s *stream) wake() {
	s.transport.mu.Lock()
	defer s.transport.mu.Unlock()
	s.room.Signal()
}

// write writes one frame of a message; mu is held.
func (w *transport) write(s *stream, part []byte, end bool) {
	w.window -= int64(len(part))
	s.window -= int64(len(part))
	w.pings = 0
	s.said = end
	_ = w.encoder.WriteData(s.id, end, part)
}
