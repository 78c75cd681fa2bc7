package allowlist

import (
	"context"
	"time"
)

// Entry is one allowed domain.
type Entry struct {
	Domain     Domain    `json:"domain"`
	CreateTime time.Time `json:"created_at"`
	Creator    string    `json:"created_by,omitempty"` // who added it; empty for those of the configuration
}

// Store keeps the entries of all tenants. A change is visible to every read that begins after it returned.
type Store interface {
	// Add adds e and reports whether it was new. An existing entry stays unchanged.
	Add(ctx context.Context, tenant string, e Entry) (added bool, err error)
	// Remove removes an entry and reports whether it existed.
	Remove(ctx context.Context, tenant string, domain Domain) (removed bool, err error)
	// List returns at most limit entries in order of Domain, after the given one; "" comes before all.
	List(ctx context.Context, tenant string, after Domain, limit int) ([]Entry, error)
	// Find returns the first of domains that has an entry; ok is false when none has.
	Find(ctx context.Context, tenant string, domains []Domain) (Entry, bool, error)
}
