package embedded

import (
	"sync"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
)

// Bounds of what is kept: decoded tasks, and about how much memory they and their content take.
const (
	cacheTasks = 4096
	cacheBytes = 64 << 20
)

// cache keeps tasks as they were last written to the file. What is written is noted here in the order of commits, a moment after others may read it from the
// file; so whoever reads from the file has the cache forget what is older (seen), and nobody finds a task here that is older than what somebody has read.
// Records are shared: nobody changes them.
type cache struct {
	mu    sync.RWMutex
	tasks map[orchestrator.Key]*record // guarded by mu
	bytes int                          // guarded by mu; that all take, about
	notes uint64                       // guarded by mu; counts what was noted or forgotten
}

// get returns a task, or nil. One that is being written may be there as it was.
func (c *cache) get(k orchestrator.Key) *record {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.tasks[k]
}

// noted returns a number for fill.
func (c *cache) noted() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.notes
}

// note keeps what tx writes, once it is committed.
func (c *cache) note(tx *bbolt.Tx, r *record) {
	tx.OnCommit(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.notes++
		c.keep(r)
	})
}

// forget drops what tx removes, once that is committed.
func (c *cache) forget(tx *bbolt.Tx, k orchestrator.Key) {
	tx.OnCommit(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.notes++
		c.drop(k)
	})
}

// fill keeps what was read from the file after noted, unless something was written since: it may be that.
func (c *cache) fill(r *record, notes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if notes == c.notes && c.older(keyOf(r), r.Version) {
		c.keep(r)
	}
	c.outdate(keyOf(r), r.Version)
}

// seen is told of every version that somebody reads from the file.
func (c *cache) seen(k orchestrator.Key, version uint64) {
	c.mu.RLock()
	older := c.older(k, version)
	c.mu.RUnlock()
	if older {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.outdate(k, version)
	}
}

// outdate forgets a task that is older than a version, and whoever is about to fill one in keeps it to himself. The caller holds mu.
func (c *cache) outdate(k orchestrator.Key, version uint64) {
	if c.older(k, version) {
		c.notes++
		c.drop(k)
	}
}

// older reports whether a task is not there, or older than a version. The caller holds mu.
func (c *cache) older(k orchestrator.Key, version uint64) bool {
	r := c.tasks[k]
	return r == nil || r.Version < version
}

// keep adds a task. A full cache starts again from nothing: that is rare, and simpler than choosing what may stay. The caller holds mu.
func (c *cache) keep(r *record) {
	k := keyOf(r)
	c.drop(k)
	if c.tasks == nil || len(c.tasks) >= cacheTasks || c.bytes+r.weight() > cacheBytes {
		c.tasks, c.bytes = make(map[orchestrator.Key]*record), 0
		c.notes++
	}
	c.tasks[k] = r
	c.bytes += r.weight()
}

// drop removes a task, if it is there. The caller holds mu.
func (c *cache) drop(k orchestrator.Key) {
	if r := c.tasks[k]; r != nil {
		c.bytes -= r.weight()
		delete(c.tasks, k)
	}
}
