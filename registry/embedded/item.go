package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
)

// item is a record without its card's bytes, which have a bucket of their own: together they could be too large for one item.
type item struct {
	Card       registry.Card     `json:"card"`
	CardURI    string            `json:"card_uri,omitempty"`
	Metadata   registry.Metadata `json:"metadata"`
	Etag       string            `json:"etag"`
	Revision   int64             `json:"revision"`
	CreateTime time.Time         `json:"created_at"`
	UpdateTime time.Time         `json:"updated_at"`
	TokenHash  []byte            `json:"token_hash,omitempty"`
}

// serialSize is the length of the number before an item's JSON. It is a new one with each write, so that a decoded item
// can be kept for as long as the number is the same.
const serialSize = 8

// read returns one agent; its slices and maps are shared.
func (s *Store) read(tx *bbolt.Tx, key registry.Key) (registry.Record, error) {
	id := boltdb.Key(key.Tenant, key.Name)
	value := tx.Bucket(bucketAgents).Get(id)
	if value == nil {
		return registry.Record{}, registry.Missing(key)
	}
	if len(value) < serialSize {
		return registry.Record{}, fmt.Errorf("decoding agent %q: too short", key.Name)
	}
	serial := binary.BigEndian.Uint64(value)
	record, ok := s.cache.get(key, serial)
	if !ok {
		var i item
		if err := decode("agent", value[serialSize:], &i); err != nil {
			return registry.Record{}, err
		}
		record = i.record(key)
		if !tx.Writable() { // what is not committed may be rolled back and its serial used again
			s.cache.put(key, serial, record, len(value))
		}
	}
	record.RawCard = bytes.Clone(tx.Bucket(bucketCards).Get(id))
	return record, nil
}

func (i *item) record(key registry.Key) registry.Record {
	record := registry.Record{Agent: registry.Agent{
		Tenant: key.Tenant, Name: key.Name, Card: i.Card, CardURI: i.CardURI, Metadata: i.Metadata,
		Etag: i.Etag, Revision: i.Revision, CreateTime: i.CreateTime, UpdateTime: i.UpdateTime,
	}}
	copy(record.TokenHash[:], i.TokenHash)
	return record
}

func newItem(r *registry.Record) *item {
	i := &item{
		Card: r.Card, CardURI: r.CardURI, Metadata: r.Metadata,
		Etag: r.Etag, Revision: r.Revision, CreateTime: r.CreateTime, UpdateTime: r.UpdateTime,
	}
	if hasToken(r) {
		i.TokenHash = r.TokenHash[:]
	}
	return i
}

// encode returns v as JSON, or a fault when it is too large for an item. It does not escape HTML, which would make it longer.
func encode(what string, v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding %s: %w", what, err)
	}
	return b.Bytes(), boltdb.CheckItem(what, b.Len())
}

func decode(what string, value []byte, v any) error {
	if err := json.Unmarshal(value, v); err != nil {
		return fmt.Errorf("decoding %s: %w", what, err)
	}
	return nil
}

// cacheBytes bounds the cache by the size of the items in it as they are stored.
const cacheBytes = 64 << 20

// cache keeps decoded items; the zero value is empty.
type cache struct {
	mu      sync.RWMutex
	entries map[registry.Key]entry // guarded by mu
	bytes   int                    // guarded by mu
}

type entry struct {
	serial uint64
	record registry.Record
	size   int
}

func (c *cache) get(key registry.Key, serial uint64) (registry.Record, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.entries[key]
	return e.record, ok && e.serial == serial
}

// put keeps a record. A full cache starts again from nothing: that is rare, and simpler than choosing what may stay.
func (c *cache) put(key registry.Key, serial uint64, record registry.Record, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += size - c.entries[key].size
	if c.entries == nil || c.bytes > cacheBytes {
		c.entries, c.bytes = make(map[registry.Key]entry), size
	}
	c.entries[key] = entry{serial, record, size}
}
