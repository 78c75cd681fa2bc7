package allowlist

import (
	"context"
	"slices"
	"sync"
)

// Memory is a Store that ends with the process: for one-off runs. The zero value is empty.
type Memory struct {
	mu      sync.RWMutex
	entries map[string][]Entry // by tenant, in order of Domain; guarded by mu
}

var _ Store = (*Memory)(nil)

// Add implements Store.
func (m *Memory) Add(_ context.Context, tenant string, e Entry) (added bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, found := m.search(tenant, e.Domain)
	if found {
		return false, nil
	}
	if m.entries == nil {
		m.entries = make(map[string][]Entry)
	}
	m.entries[tenant] = slices.Insert(m.entries[tenant], i, e)
	return true, nil
}

// Remove implements Store.
func (m *Memory) Remove(_ context.Context, tenant string, domain Domain) (removed bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, found := m.search(tenant, domain)
	if found {
		m.entries[tenant] = slices.Delete(m.entries[tenant], i, i+1)
	}
	return found, nil
}

// List implements Store.
func (m *Memory) List(_ context.Context, tenant string, after Domain, limit int) ([]Entry, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	i, found := m.search(tenant, after)
	if found {
		i++
	}
	list := m.entries[tenant][i:]
	return slices.Clone(list[:min(len(list), limit)]), nil
}

// Find implements Store.
func (m *Memory) Find(_ context.Context, tenant string, domains []Domain) (Entry, bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, domain := range domains {
		if i, found := m.search(tenant, domain); found {
			return m.entries[tenant][i], true, nil
		}
	}
	return Entry{}, false, nil
}

// search needs mu.
func (m *Memory) search(tenant string, domain Domain) (int, bool) {
	return slices.BinarySearchFunc(m.entries[tenant], domain, func(e Entry, d Domain) int { return byDomain(e, Entry{Domain: d}) })
}
