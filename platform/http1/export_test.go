package http1

// Plain returns the size of the plain request at the beginning of data. It is not ok if there is none, or only a part of one.
func Plain(data []byte) (size int, ok bool) {
	size, v := inspect(data)
	return size, v == plain
}

// Kept returns the size of the buffers of all connections, which must be idle.
func (s *Server) Kept() (size int) {
	s.open.mu.Lock()
	defer s.open.mu.Unlock()
	for c := range s.open.conns {
		size += cap(c.in.data) + c.out.ready.Cap() + cap(c.out.held)
	}
	return size
}
