package dynamo

// Waiting returns how many changes wait for the end of a tenant's log.
func (s *Store) Waiting(tenant string) int {
	t := s.tails.of(tenant)
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queue)
}
