package http1

import (
	"sync"
	"sync/atomic"
)

// conns are the open connections.
type conns struct {
	stopping atomic.Bool
	ended    chan struct{} // closed when no connection is left and no more are accepted

	mu    sync.Mutex
	conns map[*conn]struct{} // guarded by mu
}

func newConns() *conns {
	return &conns{ended: make(chan struct{}), conns: make(map[*conn]struct{})}
}

// add adds a connection, unless the server is stopping, and reports whether it did.
func (s *conns) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping.Load() {
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

func (s *conns) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.conns[c]; !ok {
		return // it was refused by add
	}
	delete(s.conns, c)
	if len(s.conns) == 0 && s.stopping.Load() {
		close(s.ended)
	}
}

// stop refuses new connections and closes the idle ones. The channel is closed when all others have ended too.
func (s *conns) stop() (ended <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping.Swap(true) {
		return s.ended
	}
	for c := range s.conns {
		if c.state.CompareAndSwap(idle, closing) {
			_ = c.Close() // its goroutine notices and ends
		}
	}
	if len(s.conns) == 0 {
		close(s.ended)
	}
	return s.ended
}

func (s *conns) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close() // it may be closed already
	}
}
