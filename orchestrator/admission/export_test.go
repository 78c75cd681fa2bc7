package admission

// Parties returns of how many parties something is kept.
func (f *FairLimiter) Parties() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.parties)
}

// Kept returns how many breakers there are.
func (b *Breakers) Kept() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.list)
}
