package agentclient

// Wires returns how many URLs have a shared connection for gRPC.
func (p *Pool) Wires() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.wires)
}
