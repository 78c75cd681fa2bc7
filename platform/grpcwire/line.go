package grpcwire

import "context"

// awaitTurn waits until the server takes one more stream, or the connection takes no more calls, or ctx is done. Calls have their turns in the order in which they
// came, and only the next one is woken: thousands may wait for an agent that takes few calls at a time. mu is held, and released while it waits.
func (l *clientConn) awaitTurn(ctx context.Context, s *stream) {
	if l.hasTurnAtOnce() {
		return
	}
	at := l.line.PushBack(s)
	defer l.line.Remove(at)
	for ctx.Err() == nil && (l.line.Front() != at || !l.hasTurn()) {
		l.mu.Unlock()
		select {
		case <-s.news:
		case <-ctx.Done():
		}
		l.mu.Lock()
	}
}

// hasTurnAtOnce reports whether a call that comes now need not wait; mu is held.
func (l *clientConn) hasTurnAtOnce() bool { return l.line.Len() == 0 && l.hasTurn() }

// hasTurn reports whether the next call need not wait any longer: it may have a stream, or will never have one here. mu is held.
func (l *clientConn) hasTurn() bool {
	return !l.takesCalls() || uint32(len(l.streams)) < l.maxStreams //nolint:gosec // G115: few
}

func (l *clientConn) inLine() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.line.Len()
}

// callNext wakes the next call if it need not wait any longer; mu is held.
func (l *clientConn) callNext() {
	if next := l.line.Front(); next != nil && l.hasTurn() {
		next.Value.(*stream).notify() //nolint:errcheck,forcetypeassert // the line has nothing else
	}
}
