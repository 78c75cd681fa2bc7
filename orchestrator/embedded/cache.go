package embedded

import (
	"sync"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
)

// Limits of the cache: decoded tasks, and approximately how much memory they and their content take.
const (
	cacheTasks = 4096
	cacheBytes = 64 << 20
)

// cache keeps tasks as they were last written to the file. Writes are noted here in the order of commits, slightly after others can read them from
// the file. So readers of the file report the version that they have read (seen), which drops older ones: nobody finds a task here that is older than
// what somebody has read already. Records are shared and never changed.
type cache struct {
	mu    sync.RWMutex
	tasks map[orchestrator.Key]*record // guarded by mu
	bytes int                          // guarded by mu; approximate size of all
	notes uint64                       // guarded by mu; counts what was noted or dropped
}

// get returns a task, or nil. A write in progress may not be included yet.
func (c *cache) get(k orchestrator.Key) *record {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.tasks[k]
}

// generation returns a number for fill.
func (c *cache) generation() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.notes
}

// putOnCommit keeps what tx writes once it is committed.
func (c *cache) putOnCommit(tx *bbolt.Tx, r *record) {
	tx.OnCommit(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.notes++
		c.put(r)
	})
}

// dropOnCommit drops what tx removes once that is committed.
func (c *cache) dropOnCommit(tx *bbolt.Tx, k orchestrator.Key) {
	tx.OnCommit(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.notes++
		c.drop(k)
	})
}

// fill keeps what was read from the file, with the result of generation from before reading, unless something was written since, which might be newer.
func (c *cache) fill(r *record, notes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if notes == c.notes && c.isOlder(r.Key(), r.Version) {
		c.put(r)
	}
	c.invalidate(r.Key(), r.Version)
}

// observeVersion must be called with every version that is read from the file.
func (c *cache) observeVersion(k orchestrator.Key, version uint64) {
	c.mu.RLock()
	older := c.isOlder(k, version)
	c.mu.RUnlock()
	if older {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.invalidate(k, version)
	}
}

// invalidate drops a task that is older than a version, and prevents fill from adding what was read before. The caller holds mu.
func (c *cache) invalidate(k orchestrator.Key, version uint64) {
	if c.isOlder(k, version) {
		c.notes++
		c.drop(k)
	}
}

// isOlder reports whether a task is missing or older than a version. The caller holds mu.
func (c *cache) isOlder(k orchestrator.Key, version uint64) bool {
	r := c.tasks[k]
	return r == nil || r.Version < version
}

// put adds a task. If the cache is full, it is emptied: that is rare, and simpler than choosing. The caller holds mu.
func (c *cache) put(r *record) {
	k := r.Key()
	c.drop(k)
	if c.tasks == nil || len(c.tasks) >= cacheTasks || c.bytes+r.weight() > cacheBytes {
		c.tasks, c.bytes = make(map[orchestrator.Key]*record), 0
		c.notes++
	}
	c.tasks[k] = r
	c.bytes += r.weight()
}

// clear removes all tasks, and prevents fill from adding what was read before.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tasks, c.bytes = nil, 0
	c.notes++
}

// drop removes a task if it is there. The caller holds mu.
func (c *cache) drop(k orchestrator.Key) {
	if r := c.tasks[k]; r != nil {
		c.bytes -= r.weight()
		delete(c.tasks, k)
	}
}
