package grpcwire

// maxFresh is how many calls of a connection are fresh at a time: begun, while nobody knows yet whose they are. The header of a call is a few bytes, its handler takes
// kilobytes, and a client can send headers faster than handlers find out who it is.
const maxFresh = 64

// makeRoom waits while many calls are fresh, and their client with it. mu is held, and released while it waits.
func (p *serverConn) makeRoom() {
	if p.fresh < maxFresh {
		return
	}
	for p.fresh > maxFresh/2 && p.err == nil {
		p.calm.Wait()
	}
}

// ended wakes whoever waits in makeRoom.
func (p *serverConn) ended() { p.calm.Signal() }

// admitted ends that a call is fresh: its handler takes the request, or it is passed on.
func (c *call) admitted() {
	c.port.mu.Lock()
	defer c.port.mu.Unlock()
	c.settle()
}

// settle is admitted for callers that hold mu, and for calls that were admitted before.
func (c *call) settle() {
	if !c.fresh {
		return
	}
	c.fresh = false
	if c.port.fresh--; c.port.fresh <= maxFresh/2 {
		c.port.calm.Signal()
	}
}
