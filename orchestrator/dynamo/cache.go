package dynamo

import (
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
)

const (
	// cacheBytes bounds how much memory the content takes, about.
	cacheBytes = 32 << 20
	// recordBytes is what a record counts besides its content: most are short, and their keys and maps take more than they do.
	recordBytes = 512
)

// cache keeps the content of records, which never changes. Its zero value is empty.
type cache struct {
	mu      sync.RWMutex
	records map[string]map[string]any // guarded by mu; by task and record, then by name of the content
	size    int                       // guarded by mu
}

func (c *cache) get(id, name string) (any, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	content, ok := c.records[id][name]
	return content, ok
}

// put keeps the content of a record. A full cache starts again from nothing: that is rare, and simpler than choosing what may stay.
func (c *cache) put(id string, content map[string]any, size int) {
	size += recordBytes
	for _, v := range content {
		size += overhead(v)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.records[id] != nil {
		return // by another who read it at the same time
	}
	if c.records == nil || c.size+size > cacheBytes {
		c.records, c.size = make(map[string]map[string]any), 0
	}
	c.records[id] = content
	c.size += size
}

// overhead returns about how many bytes a content takes in memory in addition to its stored size.
func overhead(content any) int {
	switch c := content.(type) {
	case proto.Message:
		return orchestrator.Overhead(c)
	case plan:
		return orchestrator.AttributesOverhead(c.Attributes)
	default:
		return 0
	}
}
