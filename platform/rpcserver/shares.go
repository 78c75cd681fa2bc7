package rpcserver

import "sync"

// shares divides a number of bytes of memory. Whoever has some may have more as long as that leaves as much for others; the first piece is granted in any case.
type shares struct {
	most int

	mu    sync.Mutex
	bytes int            // guarded by mu
	of    map[caller]int // guarded by mu; bytes
}

func newShares(most int) *shares { return &shares{most: most, of: make(map[caller]int)} }

// take takes n bytes until giveBack is called. It returns a nil function, and how many bytes who has already, when those are too many.
func (s *shares) take(who caller, n int) (giveBack func(), has int) {
	has, ok := s.add(who, n)
	if !ok {
		return nil, has
	}
	return sync.OnceFunc(func() { s.giveBack(who, n) }), has
}

// add takes n bytes until giveBack is called with them. It returns how many bytes who had already, and false when those are too many.
func (s *shares) add(who caller, n int) (has int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if has = s.of[who]; has > 0 && has+n > s.most-s.bytes-n {
		return has, false
	}
	s.of[who] += n
	s.bytes += n
	return has, true
}

func (s *shares) giveBack(who caller, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes -= n
	if s.of[who] -= n; s.of[who] <= 0 {
		delete(s.of, who)
	}
}
