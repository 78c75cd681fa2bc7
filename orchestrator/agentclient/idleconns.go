package agentclient

import (
	"slices"
	"sync"
	"time"
)

// Limits of idle connections, in number and time. With fewer for each agent, most requests of concurrent callers would need a new connection.
const (
	maxIdle        = 256
	maxIdlePerHost = 64
	idleTimeout    = 90 * time.Second
)

// idleConns holds the idle connections. The one used last is taken first, so that surplus ones grow old; when there are too many, the oldest is
// closed, which makes room for other agents. The zero value is ready to use.
type idleConns struct {
	mu     sync.Mutex
	list   []*httpConn // guarded by mu; the oldest first
	sweep  *time.Timer // guarded by mu; nil: there are none
	closed bool        // guarded by mu
}

// take returns an idle connection to an address, or nil.
func (i *idleConns) take(addr string) *httpConn {
	i.mu.Lock()
	defer i.mu.Unlock()
	for n, c := range slices.Backward(i.list) {
		if c.addr == addr {
			i.list = slices.Delete(i.list, n, n+1)
			return c
		}
	}
	return nil
}

func (i *idleConns) put(c *httpConn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	same := 0
	for _, other := range i.list {
		if other.addr == c.addr {
			same++
		}
	}
	if i.closed || same >= maxIdlePerHost {
		c.drop()
		return
	}
	if len(i.list) >= maxIdle {
		i.remove(0)
	}
	c.since = time.Now()
	i.list = append(i.list, c)
	if i.sweep == nil {
		i.sweep = time.AfterFunc(idleTimeout, i.dropOld)
	}
}

// remove closes a connection. The caller holds mu.
func (i *idleConns) remove(n int) {
	i.list[n].drop()
	i.list = slices.Delete(i.list, n, n+1)
}

// dropOld closes connections that were idle for too long, and schedules itself for the next.
func (i *idleConns) dropOld() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for len(i.list) > 0 && time.Since(i.list[0].since) >= idleTimeout {
		i.remove(0)
	}
	i.sweep = nil
	if len(i.list) > 0 {
		i.sweep = time.AfterFunc(idleTimeout-time.Since(i.list[0].since), i.dropOld)
	}
}

// close closes all connections, and those that are put later.
func (i *idleConns) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	if i.sweep != nil {
		i.sweep.Stop()
	}
	for len(i.list) > 0 {
		i.remove(0)
	}
}
