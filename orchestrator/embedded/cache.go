package embedded

import (
	"sync"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
)

// cacheTasks bounds how many decoded tasks are kept.
const cacheTasks = 4096

// cache keeps tasks as they are in the file. The file is this process's alone, and whatever is written to it is noted here as part of its commit, in the
// order of commits and before anybody hears of it; so what the cache has is what the file has. Records are shared: nobody changes them.
type cache struct {
	mu    sync.RWMutex
	tasks map[orchestrator.Key]*record // guarded by mu
	notes uint64                       // guarded by mu; counts what was noted or forgotten
}

// get returns the task when the cache has it, otherwise nil, and a number for fill.
func (c *cache) get(k orchestrator.Key) (r *record, notes uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.tasks[k], c.notes
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
		delete(c.tasks, k)
	})
}

// fill keeps what was read from the file after get, unless something was written since: it may be that.
func (c *cache) fill(r *record, notes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.tasks[keyOf(r)]; notes == c.notes && (!ok || old.Version < r.Version) {
		c.keep(r)
	}
}

// keep adds a task. A full cache starts again from nothing: that is rare, and simpler than choosing what may stay. The caller holds mu.
func (c *cache) keep(r *record) {
	if c.tasks == nil || len(c.tasks) >= cacheTasks {
		c.tasks = make(map[orchestrator.Key]*record)
		c.notes++
	}
	c.tasks[keyOf(r)] = r
}
