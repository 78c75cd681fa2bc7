package catalog

import (
	"crypto/sha256"
	"encoding/base64"
	"sync"
)

// maxKept is the number of tenants whose catalog is cached.
const maxKept = 64

// rendered is an encoded AI Catalog.
type rendered struct {
	base    string // of the URLs in it
	edition uint64 // of the directory's listing
	body    []byte
	etag    string
}

func etagOf(body []byte) string {
	hash := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(hash[:16]) + `"`
}

// cache holds the last catalog of each tenant. The zero value is empty.
type cache struct {
	mu   sync.Mutex
	kept map[string]rendered // guarded by mu; by tenant
}

func (c *cache) get(tenant, base string, edition uint64) (kept rendered, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok = c.kept[tenant]
	return kept, ok && kept.base == base && kept.edition == edition
}

// put keeps a catalog. When there are too many it begins anew: that is rare, and simpler than choosing which may stay.
func (c *cache) put(tenant string, made rendered) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.kept[tenant]; c.kept == nil || !ok && len(c.kept) >= maxKept {
		c.kept = make(map[string]rendered)
	}
	c.kept[tenant] = made
}
