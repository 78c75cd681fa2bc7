package storetest

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// MemoryLeases is a LeaseStore for simulations. The zero value is empty.
type MemoryLeases struct {
	mu     sync.Mutex
	nodes  map[string]orchestrator.Node             // guarded by mu
	leases []orchestrator.Lease                     // guarded by mu; those that were ever taken
	mail   map[string]map[orchestrator.Key]struct{} // guarded by mu
}

var _ orchestrator.LeaseStore = (*MemoryLeases)(nil)

// Beat implements orchestrator.LeaseStore.
func (m *MemoryLeases) Beat(_ context.Context, n orchestrator.Node) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.nodes == nil {
		m.nodes = make(map[string]orchestrator.Node)
	}
	m.nodes[n.ID] = n
	return nil
}

// Nodes implements orchestrator.LeaseStore.
func (m *MemoryLeases) Nodes(context.Context) ([]orchestrator.Node, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.nodes)), nil
}

// Leave implements orchestrator.LeaseStore.
func (m *MemoryLeases) Leave(_ context.Context, node string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.nodes, node)
	delete(m.mail, node)
	return nil
}

// Leases implements orchestrator.LeaseStore.
func (m *MemoryLeases) Leases(context.Context) ([]orchestrator.Lease, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.leases), nil
}

// Take implements orchestrator.LeaseStore.
func (m *MemoryLeases) Take(_ context.Context, group int, node string, seen uint64) (orchestrator.Lease, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.lease(group)
	if m.leases[i].Epoch != seen {
		return orchestrator.Lease{}, fault.New(fault.Conflict, "LEASE_TAKEN", "group %d is not at epoch %d", group, seen)
	}
	m.leases[i] = orchestrator.Lease{Group: group, Owner: node, Epoch: seen + 1}
	return m.leases[i], nil
}

// lease returns where a group's lease is.
func (m *MemoryLeases) lease(group int) int {
	i := slices.IndexFunc(m.leases, func(l orchestrator.Lease) bool { return l.Group == group })
	if i < 0 {
		i = len(m.leases)
		m.leases = append(m.leases, orchestrator.Lease{Group: group})
	}
	return i
}

// Release implements orchestrator.LeaseStore.
func (m *MemoryLeases) Release(_ context.Context, l orchestrator.Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.leases, l); i >= 0 {
		m.leases[i].Owner = ""
	}
	return nil
}

// Post implements orchestrator.LeaseStore.
func (m *MemoryLeases) Post(_ context.Context, node string, k orchestrator.Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mail == nil {
		m.mail = make(map[string]map[orchestrator.Key]struct{})
	}
	if m.mail[node] == nil {
		m.mail[node] = make(map[orchestrator.Key]struct{})
	}
	m.mail[node][k] = struct{}{}
	return nil
}

// Collect implements orchestrator.LeaseStore.
func (m *MemoryLeases) Collect(_ context.Context, node string, limit int) ([]orchestrator.Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var keys []orchestrator.Key
	for k := range m.mail[node] {
		if len(keys) == limit {
			break
		}
		keys = append(keys, k)
		delete(m.mail[node], k)
	}
	return keys, nil
}
