package registry

import (
	"sync"
	"sync/atomic"
)

// broadcasts has a broadcast for each tenant. The zero value is ready.
type broadcasts struct {
	all broadcast // of what any of them announces

	mu      sync.Mutex
	tenants map[string]*broadcast // guarded by mu
}

func (b *broadcasts) tenant(tenant string) *broadcast {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tenants == nil {
		b.tenants = make(map[string]*broadcast)
	}
	if b.tenants[tenant] == nil {
		b.tenants[tenant] = new(broadcast)
	}
	return b.tenants[tenant]
}

func (b *broadcasts) notify(tenant string) {
	b.tenant(tenant).notify()
	b.all.notify()
}

// broadcast wakes all who wait for it. The zero value is ready.
type broadcast struct {
	count atomic.Uint64

	mu   sync.Mutex
	next chan struct{} // guarded by mu; closed by the next notify
}

// wait returns a channel that is closed by the next notify.
func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *broadcast) notify() {
	b.count.Add(1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
