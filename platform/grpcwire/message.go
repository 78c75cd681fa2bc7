package grpcwire

import (
	"encoding/binary"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const prefix = 5 // bytes before each message: whether it is compressed, and its length

// next takes the next message of a stream that is not collected. It is nil, without an error, when there is none; more says that one may come. mu is held.
func (s *stream) next() (message []byte, more bool, err error) {
	if len(s.in) < prefix {
		return s.none()
	}
	size, err := sizeOf(s.in, s.limit)
	if err != nil {
		return nil, false, err
	}
	// A message that is larger than the window comes only when what is here of it is granted again.
	if len(s.in) < prefix+size {
		if want := int64(prefix + size - len(s.in)); s.grant < want && s.goesOn() {
			_ = s.wire.encoder.WriteWindowUpdate(s.id, uint32(want-s.grant)) //nolint:gosec // G115: a message is bounded
			s.owed -= want - s.grant
			s.grant = want
			s.wire.flush()
		}
		return s.none()
	}
	message = s.in[prefix : prefix+size : prefix+size]
	s.in = s.in[prefix+size:]
	if s.counts {
		s.wire.held -= prefix + size
	}
	if len(s.in) == 0 {
		s.in = nil
	}
	_ = s.again(int64(prefix + size)) // that the other end does not read is seen by who writes
	return message, true, nil
}

// none says whether a message may still come; mu is held.
func (s *stream) none() (message []byte, more bool, err error) {
	switch {
	case s.ended && len(s.in) > 0:
		return nil, false, status.Error(codes.Internal, "the stream ended within a message")
	case s.ended:
		return nil, false, nil
	case s.err != nil:
		return nil, false, s.err
	}
	return nil, true, nil
}

// wholeMessage returns the one message of a stream that was collected.
func wholeMessage(in []byte, limit int) ([]byte, error) {
	if len(in) < prefix {
		return nil, status.Error(codes.Internal, "there is no message")
	}
	size, err := sizeOf(in, limit)
	if err != nil {
		return nil, err
	}
	if len(in) != prefix+size {
		return nil, status.Error(codes.Internal, "there is not one whole message")
	}
	return in[prefix:], nil
}

// sizeOf reads the prefix of a message.
func sizeOf(in []byte, limit int) (int, error) {
	if in[0] != 0 {
		return 0, status.Error(codes.Unimplemented, "messages must not be compressed")
	}
	size := binary.BigEndian.Uint32(in[1:])
	if uint64(size) > uint64(limit) { //nolint:gosec // G115: a limit is positive
		return 0, tooLarge(limit)
	}
	return int(size), nil
}

var errHeld = status.Errorf(codes.ResourceExhausted, "the requests of this connection that are not whole are larger than %d MiB", maxHeld>>20)

func tooLarge(limit int) error {
	return status.Errorf(codes.ResourceExhausted, "a message is larger than %d bytes", limit)
}
