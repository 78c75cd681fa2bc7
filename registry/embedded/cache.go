package embedded

import (
	"encoding/binary"
	"errors"
	"sync"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/registry"
)

const (
	// serialSize is the length of the number before an item's JSON. The number is a new one for each write, so that a decoded item can be kept as
	// long as the number is the same.
	serialSize = 8
	// cacheBytes bounds a cache, by the stored size of its items.
	cacheBytes = 64 << 20
)

// putItem writes an item with its serial number.
func putItem(bucket *bbolt.Bucket, key, value []byte) error {
	serial, err := bucket.NextSequence()
	if err != nil {
		return err
	}
	return bucket.Put(key, append(binary.BigEndian.AppendUint64(nil, serial), value...))
}

// cache keeps decoded items; the zero value is empty.
type cache[T any] struct {
	mu      sync.RWMutex
	entries map[registry.Key]entry[T] // guarded by mu
	bytes   int                       // guarded by mu
}

type entry[T any] struct {
	serial uint64
	value  T
	size   int
}

// read returns the item in value, from the cache or decoded, and adds it to the cache if keep is true.
func (c *cache[T]) read(key registry.Key, value []byte, keep bool, decode func([]byte) (decoded T, size int, err error)) (T, error) {
	if len(value) < serialSize {
		var zero T
		return zero, errors.New("decoding item: it is too short")
	}
	serial := binary.BigEndian.Uint64(value)
	c.mu.RLock()
	e, ok := c.entries[key]
	c.mu.RUnlock()
	if ok && e.serial == serial {
		return e.value, nil
	}
	decoded, size, err := decode(value[serialSize:])
	if err == nil && keep {
		c.put(key, entry[T]{serial, decoded, size})
	}
	return decoded, err
}

// put adds an entry. If the cache is full, it is emptied: that is rare, and simpler than choosing.
func (c *cache[T]) put(key registry.Key, e entry[T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += e.size - c.entries[key].size
	if c.entries == nil || c.bytes > cacheBytes {
		c.entries, c.bytes = make(map[registry.Key]entry[T]), e.size
	}
	c.entries[key] = e
}
