package allowlist

import (
	"context"
	"time"
)

// Entry is one allowed domain.
type Entry struct {
	Domain     Domain    `json:"domain"`
	CreateTime time.Time `json:"created_at"`
	Creator    string    `json:"created_by,omitempty"` // who added it; empty for the configuration's
}

// Store keeps the entries of every tenant. A change is seen by every read that begins after it returned.
type Store interface {
	// Add keeps e and reports whether it was new; an entry that is there stays as it is.
	Add(ctx context.Context, tenant string, e Entry) (added bool, err error)
	// Remove forgets an entry and reports whether it was there.
	Remove(ctx context.Context, tenant string, domain Domain) (removed bool, err error)
	// List returns at most limit entries in order of Domain, after one of them; the empty one is before all.
	List(ctx context.Context, tenant string, after Domain, limit int) ([]Entry, error)
	// Find returns the first of domains that has an entry, and false when none has.
	Find(ctx context.Context, tenant string, domains []Domain) (Entry, bool, error)
}
