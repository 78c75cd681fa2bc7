package dynamo

import (
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
)

const (
	// cacheBytes bounds the memory for cached content, approximately. It is more than one artifact takes at most.
	cacheBytes = 40 << 20
	// recordBytes is what a record counts in addition to its content: most records are short, and their keys and maps take more memory than they do.
	recordBytes = 512
)

// cache keeps the content of records, which never changes. The zero value is empty.
type cache struct {
	mu      sync.RWMutex
	records map[string]map[string]any // guarded by mu; by task and record, then by name of the content
	size    int                       // guarded by mu
}

func (c *cache) get(id string) (map[string]any, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	content, ok := c.records[id]
	return content, ok
}

// put keeps the content of a record. If the cache is full, it is emptied: that is rare, and simpler than choosing.
func (c *cache) put(id string, content map[string]any, size int) {
	size += recordBytes
	for _, v := range content {
		size += overhead(v)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.records[id] != nil {
		return // somebody else has read it at the same time
	}
	if c.records == nil || c.size+size > cacheBytes {
		c.records, c.size = make(map[string]map[string]any), 0
	}
	c.records[id] = content
	c.size += size
}

// overhead returns approximately how many bytes content takes in memory in addition to its stored size.
func overhead(content any) int {
	switch c := content.(type) {
	case proto.Message:
		return orchestrator.Overhead(c)
	case jsonContent:
		return len(c.encoded) + overhead(c.value)
	case plan:
		return orchestrator.AttributesOverhead(c.Attributes)
	default:
		return 0
	}
}
