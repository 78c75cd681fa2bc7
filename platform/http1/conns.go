package http1

import (
	"sync"
	"sync/atomic"
)

// conns are the connections that are open.
type conns struct {
	stopping atomic.Bool
	ended    chan struct{} // closed when no connection is left and none will come

	mu    sync.Mutex
	conns map[*conn]struct{} // guarded by mu
}

func newConns() *conns {
	return &conns{ended: make(chan struct{}), conns: make(map[*conn]struct{})}
}

// add reports whether a connection may still come.
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
		return // it came too late
	}
	delete(s.conns, c)
	if len(s.conns) == 0 && s.stopping.Load() {
		close(s.ended)
	}
}

// stop lets no connection come any more and closes those that are idle. The channel is closed when all others have ended, too.
func (s *conns) stop() (ended <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping.Swap(true) {
		return s.ended
	}
	for c := range s.conns {
		if c.state.CompareAndSwap(idle, closing) {
			_ = c.Close() // its goroutine sees it
		}
	}
	if len(s.conns) == 0 {
		close(s.ended)
	}
	return s.ended
}

// cut closes all connections.
func (s *conns) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close() // or it was closed already
	}
}
