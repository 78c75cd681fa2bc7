package share

// Known returns how many parties have some.
func (b *Bytes[K]) Known() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.of)
}
