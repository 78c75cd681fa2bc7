package agentclient

import (
	"slices"
	"sync"
	"time"
)

// How many lines wait for a next request, and how long. Fewer for each agent than callers would make a new connection for most requests.
const (
	maxIdle        = 256
	maxIdlePerHost = 64
	idleTimeout    = 90 * time.Second
)

// idleLines are the lines that wait for a next request. The one that was used last is taken first, so that those too many grow old; when there is no
// room, the oldest goes, so that agents that are called no more leave it to others. The zero value is ready.
type idleLines struct {
	mu     sync.Mutex
	list   []*line     // guarded by mu; the oldest first
	sweep  *time.Timer // guarded by mu; nil: nothing waits
	closed bool        // guarded by mu
}

// take returns a line to an address, or nil.
func (i *idleLines) take(addr string) *line {
	i.mu.Lock()
	defer i.mu.Unlock()
	for n, l := range slices.Backward(i.list) {
		if l.addr == addr {
			i.list = slices.Delete(i.list, n, n+1)
			return l
		}
	}
	return nil
}

// put has a line wait.
func (i *idleLines) put(l *line) {
	i.mu.Lock()
	defer i.mu.Unlock()
	same := 0
	for _, other := range i.list {
		if other.addr == l.addr {
			same++
		}
	}
	if i.closed || same >= maxIdlePerHost {
		l.drop()
		return
	}
	if len(i.list) >= maxIdle {
		i.remove(0)
	}
	l.since = time.Now()
	i.list = append(i.list, l)
	if i.sweep == nil {
		i.sweep = time.AfterFunc(idleTimeout, i.dropOld)
	}
}

// remove drops a line; the caller holds mu.
func (i *idleLines) remove(n int) {
	i.list[n].drop()
	i.list = slices.Delete(i.list, n, n+1)
}

// dropOld drops what has waited for too long, and comes again for the next.
func (i *idleLines) dropOld() {
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

// close drops all, and whatever comes later.
func (i *idleLines) close() {
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
