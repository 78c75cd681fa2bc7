package grpcwire

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// clientConn is the client's end of a connection.
type clientConn struct {
	*transport
	nextID     uint32    // of the next stream; guarded by the transport's mu
	maxStreams uint32    // streams at a time; guarded by the transport's mu
	line       list.List // of streams that wait for their turn; guarded by the transport's mu
	leaves     bool      // the server takes no more streams; guarded by the transport's mu
	ready      bool      // the server has sent its settings; guarded by the transport's mu

	greeted chan struct{} // closed when the server has sent its settings
	over    chan struct{} // closed when the connection has ended
}

// lastUsable is the stream id after which a connection is replaced by a new one, long before ids run out.
const lastUsable = 1 << 30

func newClientConn(conn net.Conn) *clientConn {
	l := &clientConn{nextID: 1, maxStreams: math.MaxUint32, greeted: make(chan struct{}), over: make(chan struct{})} // any number, unless the server says (RFC 9113, section 6.5.2)
	l.transport = newTransport(conn, l, answerWindow)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sendPreface(http2.ClientPreface, http2.Setting{ID: http2.SettingEnablePush, Val: 0})
	l.flush()
	go func() { defer close(l.over); l.read() }()
	return l
}

// acceptsCalls reports whether new calls may begin.
func (l *clientConn) acceptsCalls() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.takesCalls()
}

// takesCalls is acceptsCalls for whoever holds mu.
func (l *clientConn) takesCalls() bool {
	return l.err == nil && !l.leaves && l.nextID < lastUsable
}

// remoteError is the Op of an error that is an alert of TLS. A server of TLS 1.3 refuses a certificate only after its client has seen the handshake succeed.
const remoteError = "remote error"

// unsettled returns why the connection ended before the server had sent its settings.
func (l *clientConn) unsettled() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, wrong := errors.AsType[http2.ConnectionError](l.err)
	if wrong || errors.Is(l.err, http2.ErrFrameTooLarge) {
		return fmt.Errorf("the server does not speak HTTP/2: %w", l.err)
	}
	if alert, ok := errors.AsType[*net.OpError](l.err); ok && alert.Op == remoteError {
		return alert
	}
	return errNoSettings
}

// isOver reports whether the connection has ended.
func (l *clientConn) isOver() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

func (l *clientConn) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(errClosed)
}

// makeRoom does nothing: a server begins no calls.
func (*clientConn) makeRoom() {}

// headers handles the header or the trailer of a response.
func (l *clientConn) headers(f *http2.MetaHeadersFrame) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.stream(f.StreamID)
	switch {
	case s == nil:
		return err
	case f.Truncated:
		s.fail(errTooLong)
		return l.drop(s, http2.ErrCodeCancel)
	case s.ended:
		return l.drop(s, http2.ErrCodeStreamClosed)
	case !f.StreamEnded() && s.header != nil:
		return l.drop(s, http2.ErrCodeProtocol)
	case !f.StreamEnded():
		if informational(f) {
			return nil
		}
		if web, kind := kindOf(f.Fields); web != "200" || !isGRPC(kind) { // what follows is for people
			s.fail(notGRPC(web, kind))
			return l.drop(s, http2.ErrCodeCancel)
		}
		if s.header = f.Fields; !s.single {
			s.notify()
		}
		return nil
	}
	s.trailer, s.ended = f.Fields, true
	s.room.Signal()
	s.notify()
	return nil
}

func informational(f *http2.MetaHeadersFrame) bool {
	return len(f.PseudoValue("status")) == 3 && f.PseudoValue("status")[0] == '1'
}

// goAway ends the calls that the server did not begin, and lets the others finish.
func (l *clientConn) goAway(last uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaves = true
	for id, s := range l.streams {
		if id > last {
			delete(l.streams, id)
			s.fail(errUnprocessed)
		}
	}
	l.callNext()
	if len(l.streams) == 0 {
		l.end(errClosed)
	}
}

func (*clientConn) pong() {}

func (l *clientConn) setMaxStreams(n uint32) { l.maxStreams = n }

func (l *clientConn) settingsReceived() {
	if !l.ready {
		l.ready = true
		close(l.greeted)
	}
	l.callNext()
}

// streamCutOff does nothing: the call whose stream it was calls closeStream.
func (*clientConn) streamCutOff() {}

// unwritable has what the server sent before it closed the connection still read: its answer, or that it did not begin a call.
func (l *clientConn) unwritable(error) {
	l.leaves = true
	l.callNext()
	_ = l.conn.SetReadDeadline(time.Now().Add(linger)) // on a closed connection the read fails
}

func (l *clientConn) ended() { l.callNext() }

// openStream opens a stream when it is its turn, and writes the header of the request; mu is held, and released while it waits.
func (l *clientConn) openStream(ctx context.Context, s *stream, fields []hpack.HeaderField) error {
	if s.noWait && !l.hasTurnAtOnce() {
		return found(ErrFull, codes.Unavailable, fmt.Sprintf("the server takes %d calls at a time", l.maxStreams))
	}
	defer l.callNext()
	l.awaitTurn(ctx, s)
	switch {
	case !l.takesCalls() && l.lastID > 0:
		return errOvertaken
	case !l.takesCalls():
		return errUnprocessed
	case ctx.Err() != nil:
		return found(ErrNotBegun, status.FromContextError(ctx.Err()).Code(), fmt.Sprintf("the call waited for its turn: the server takes %d at a time", l.maxStreams))
	}
	l.open(l.nextID, s)
	l.nextID += 2
	s.head(false, fields...)
	return nil
}

// closeStream forgets a stream, and resets it if the server has not ended it.
func (l *clientConn) closeStream(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.streams[s.id] == s {
		delete(l.streams, s.id)
		if (!s.ended || !s.said) && l.err == nil {
			_ = l.encoder.WriteRSTStream(s.id, http2.ErrCodeCancel)
			l.flushAsync() // the call must end in time even if the server does not read
		}
	}
	l.callNext()
	if !l.takesCalls() && len(l.streams) == 0 {
		l.end(errClosed)
	}
}

// suspect makes later calls open another connection if a call runs out of time, and none of the server's frames has come since there were n: the server may be gone
// without a word.
func (l *clientConn) suspect(ctx context.Context, n uint64) {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || l.frames.Load() != n {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaves = true
	l.callNext()
}

// unprocessed reports whether the server has certainly not begun a call.
func unprocessed(err error) bool {
	reset, ok := errors.AsType[http2.StreamError](err)
	return errors.Is(err, errUnprocessed) || ok && reset.Code == http2.ErrCodeRefusedStream
}
