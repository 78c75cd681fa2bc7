package agentclient

// Wires returns how many URLs have a shared connection for gRPC.
func (p *Pool) Wires() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.wires)
}

// Sites returns how many URLs have the beginning of their requests kept.
func (p *Pool) Sites() int {
	p.plain.sites.mu.Lock()
	defer p.plain.sites.mu.Unlock()
	return len(p.plain.sites.list)
}
