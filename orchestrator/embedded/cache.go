package embedded

import (
	"sync"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
)

// Bounds of what is kept: decoded tasks, and what their content takes in the file.
const (
	cacheTasks = 4096
	cacheBytes = 64 << 20
)

// cache keeps tasks as they are in the file. The file is this process's alone, and whatever is written to it is noted here as part of its commit, in the
// order of commits and before anybody hears of it; so what the cache has is what the file has. Records are shared: nobody changes them.
type cache struct {
	mu    sync.RWMutex
	tasks map[orchestrator.Key]cached // guarded by mu
	bytes int                         // guarded by mu; of the content of all
	notes uint64                      // guarded by mu; counts what was noted or forgotten
}

// cached is a task and how many bytes its content is, encoded.
type cached struct {
	*record
	size int
}

// get returns the task when the cache has it, otherwise nil, and a number for fill.
func (c *cache) get(k orchestrator.Key) (r *record, notes uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.tasks[k].record, c.notes
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
	k, size := keyOf(r), contentSize(r)
	c.drop(k)
	if c.tasks == nil || len(c.tasks) >= cacheTasks || c.bytes+size > cacheBytes {
		c.tasks, c.bytes = make(map[orchestrator.Key]cached), 0
		c.notes++
	}
	c.tasks[k] = cached{r, size}
	c.bytes += size
}

// drop removes a task, if it is there. The caller holds mu.
func (c *cache) drop(k orchestrator.Key) {
	c.bytes -= c.tasks[k].size
	delete(c.tasks, k)
}

// contentSize is how many bytes a task's content is, encoded.
func contentSize(r *record) int {
	n := proto.Size(r.StatusMessage)
	for _, m := range messages(r) {
		n += proto.Size(m)
	}
	for _, a := range r.Artifacts {
		n += proto.Size(a)
	}
	return n
}
