package grpcwire

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/bounded"
)

const prefix = 5 // bytes before each message: a compression flag and the length

// next takes the next message, with its prefix, of a stream that is not collected. The message is nil, without an error, if there is none now; more says that one may
// still arrive. The window is extended for the rest of a message that does not fit in it any more; but one that is larger than a whole window arrives only if large, and
// otherwise the error is errLarge. mu is held.
func (s *stream) next(large bool) (message []byte, more bool, err error) {
	if len(s.in) < prefix {
		return s.noMessage()
	}
	size, err := sizeOf(s.in, s.limit)
	if err != nil {
		return nil, false, err
	}
	if len(s.in) < prefix+size {
		want := int64(prefix + size - len(s.in))
		switch {
		case s.grant >= want || !s.mayReceive():
			return s.noMessage()
		case !large && int64(prefix+size) > s.transport.grants:
			return nil, true, errLarge
		default:
			_ = s.transport.encoder.WriteWindowUpdate(s.id, uint32(want-s.grant)) //nolint:gosec // G115: a message is bounded
			s.owed -= want - s.grant
			s.grant = want
			s.transport.flush()
			return s.next(large) // flush has released mu, and all of it may have arrived meanwhile
		}
	}
	message = s.in[: prefix+size : prefix+size]
	s.in = s.in[prefix+size:]
	if s.counts {
		s.hold(-prefix - size)
	}
	if len(s.in) == 0 {
		s.in = nil
	}
	_ = s.returnWindow(int64(prefix + size)) // if the peer does not read, the next write will fail
	return message, true, nil
}

// reserve makes room for all of the message that has begun to arrive: copying it as it grows would take three times as much memory. mu must not be held.
func (s *stream) reserve() {
	s.transport.mu.Lock()
	defer s.transport.mu.Unlock()
	if size, err := sizeOf(s.in, s.limit); err == nil {
		s.in = slices.Grow(s.in, prefix+size-len(s.in))
	}
}

// noMessage is the result of next when there is no message; mu is held.
func (s *stream) noMessage() (message []byte, more bool, err error) {
	switch {
	case s.ended && len(s.in) > 0:
		if s.call == nil && s.status() != nil { // the server says why
			return nil, false, s.status()
		}
		return nil, false, status.Error(codes.Internal, "the stream ended within a message")
	case s.ended:
		return nil, false, nil
	case s.err != nil:
		return nil, false, s.err
	}
	return nil, true, nil
}

// wholeMessage returns the single message of a collected stream, with its prefix.
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
	return in, nil
}

// decompressed returns the content of a message, decompressed if necessary. Some peers compress although we never announce support: grpcio does what its application
// wants. It must be called without the transport's mu, because it may take a while.
func (s *stream) decompressed(message []byte) ([]byte, error) {
	said := message[prefix:]
	if !compressed(message) {
		return said, nil
	}
	if !slices.ContainsFunc(s.header, func(f hpack.HeaderField) bool { return f.Name == "grpc-encoding" && f.Value == "gzip" }) {
		return nil, status.Error(codes.Unimplemented, "messages must not be compressed, except by gzip")
	}
	return inflate(said, s.limit)
}

func compressed(message []byte) bool { return message[0] != 0 }

// inflating limits how many messages are decompressed at a time to as many as can make progress: a compressed message can be a thousandth of its content, and its
// sender is not authenticated yet.
var inflating = make(chan struct{}, runtime.GOMAXPROCS(0))

// inflate decompresses a message. The result may be as large as an uncompressed message.
func inflate(message []byte, limit int) ([]byte, error) {
	inflating <- struct{}{}
	defer func() { <-inflating }()
	r, err := gzip.NewReader(bytes.NewReader(message))
	if err != nil {
		return nil, status.Errorf(codes.Internal, "the message is not gzip: %v", err)
	}
	all, err := bounded.Read(r, "the message", int64(limit))
	switch {
	case errors.Is(err, bounded.ErrTooLarge):
		return nil, tooLarge(limit)
	case err != nil:
		return nil, status.Errorf(codes.Internal, "the message is not gzip: %v", err)
	}
	return all, nil
}

// sizeOf returns the length of a message from its prefix.
func sizeOf(in []byte, limit int) (int, error) {
	if in[0] > 1 {
		return 0, status.Error(codes.Internal, "what came is no message")
	}
	size := binary.BigEndian.Uint32(in[1:])
	if uint64(size) > uint64(limit) { //nolint:gosec // G115: a limit is positive
		return 0, tooLarge(limit)
	}
	return int(size), nil
}

var errLate = status.Error(codes.InvalidArgument, "the request cannot be read: it did not come in time")

// errLarge is what next returns instead of a message that has not arrived whole.
var errLarge = errors.New("the message is larger than the window")

func tooLarge(limit int) error {
	return found(ErrTooLarge, codes.ResourceExhausted, fmt.Sprintf("a message is larger than %d bytes", limit))
}
