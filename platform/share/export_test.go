package share

// Known returns how many parties have some.
func (b *Bytes[K]) Known() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.of)
}

// Known returns how many parties have a place or wait for one.
func (p *Places[K]) Known() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.of)
}

// Known returns how many parties have a turn or wait for one.
func (t *Turns[K]) Known() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.of)
}
