package embedded

import (
	"sync"

	"github.com/quorate/quorate/orchestrator"
)

// cacheTasks bounds how many decoded tasks are kept.
const cacheTasks = 4096

// cache keeps tasks as they were last decoded or written. A task is taken from it only when its version is the stored one, so that a write that did
// not come about, or came from elsewhere, is never believed. Tasks are shared: nobody changes what they point to.
type cache struct {
	mu    sync.RWMutex
	tasks map[orchestrator.Key]record // guarded by mu
}

// get returns the task when the cache has that version of it.
func (c *cache) get(k orchestrator.Key, version uint64) (record, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	r, ok := c.tasks[k]
	return r, ok && r.Version == version
}

// put keeps a task that is in the store. A full cache starts again from nothing: that is rare,
// and simpler than choosing what may stay.
func (c *cache) put(r *record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := orchestrator.Key{Tenant: r.Tenant, ID: r.ID}
	if c.tasks == nil || len(c.tasks) >= cacheTasks {
		c.tasks = make(map[orchestrator.Key]record)
	}
	c.tasks[k] = *r
}
