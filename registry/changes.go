package registry

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// ChangesKept is how many of the latest changes a tenant's log keeps at least.
const ChangesKept = 1 << 16

// Types of changes.
const (
	ChangeCreated = "created" // a new agent
	ChangeUpdated = "updated" // an agent has a new etag
	ChangeDeleted = "deleted"
	ChangeStatus  = "status"  // Pulse.Announced has changed
	ChangeMapping = "mapping" // the tenant's semantic mappings have changed
)

// Entry is one change in a tenant's log.
type Entry struct {
	Revision int64     `json:"-"` // counts the tenant's changes from 1, without gaps
	Type     string    `json:"type"`
	Agent    string    `json:"agent,omitempty"`  // its name
	Status   string    `json:"status,omitempty"` // the new one, with ChangeStatus
	Time     time.Time `json:"time"`
}

// ChangeLog is implemented by a Store that can be watched. The store writes an entry in the same atomic step as the change itself: for each Update
// that creates or deletes an agent or changes its etag; for each UpdatePulse, and each Update of an existing agent's pulse, that changes
// Pulse.Announced; and for each UpdateMappings.
type ChangeLog interface {
	// Head returns the tenant's latest revision, 0 before the first change.
	Head(ctx context.Context, tenant string) (int64, error)
	// Changes returns at most limit changes of the tenant with revisions greater than after, in order and without gaps. If some of those are no
	// longer kept, or after is greater than Head, it returns the fault of RevisionGone.
	Changes(ctx context.Context, tenant string, after int64, limit int) ([]Entry, error)
}

// RevisionGone returns the FailedPrecondition fault for a revision from which no reader can continue, with the reason REVISION_GONE.
func RevisionGone(revision int64) error {
	return fault.New(fault.FailedPrecondition, "REVISION_GONE",
		"the changes behind revision %d are not kept; begin again with a snapshot", revision).With("revision", strconv.FormatInt(revision, 10))
}

// AnnouncedStatus returns the status that the change log last had for the agent, or StatusUnknown.
func (p Pulse) AnnouncedStatus() string {
	if p.Announced == "" {
		return StatusUnknown
	}
	return p.Announced
}

// announcer wraps a Store: it keeps Pulse.Announced up to date and rings the tenant's bell for each write that may be in the change log.
type announcer struct {
	Store
	now   func() time.Time
	bells *bells
}

// Update writes, then rings the bell.
func (a *announcer) Update(ctx context.Context, key Key, change func(old *Record) (Change, error)) error {
	err := a.Store.Update(ctx, key, func(old *Record) (Change, error) {
		c, err := change(old)
		if err == nil && c.Pulse != nil {
			announced := *c.Pulse
			announced.Announced = announced.At(a.now()).Status
			c.Pulse = &announced
		}
		return c, err
	})
	if err == nil {
		a.bells.ring(key.Tenant)
	}
	return err
}

// UpdatePulse writes, and rings the bell if the status has changed.
func (a *announcer) UpdatePulse(ctx context.Context, key Key, change func(old Pulse) (Pulse, error)) error {
	var news bool
	err := a.Store.UpdatePulse(ctx, key, func(old Pulse) (Pulse, error) {
		next, err := change(old)
		next.Announced = next.At(a.now()).Status
		news = next.Announced != old.AnnouncedStatus()
		return next, err
	})
	if err == nil && news {
		a.bells.ring(key.Tenant)
	}
	return err
}

// bells are those of the tenants. The zero value is ready.
type bells struct {
	any bell // rings with each of them

	mu      sync.Mutex
	tenants map[string]*bell // guarded by mu
}

func (b *bells) of(tenant string) *bell {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tenants == nil {
		b.tenants = make(map[string]*bell)
	}
	if b.tenants[tenant] == nil {
		b.tenants[tenant] = new(bell)
	}
	return b.tenants[tenant]
}

func (b *bells) ring(tenant string) {
	b.of(tenant).ring()
	b.any.ring()
}

// bell wakes all who wait for it. The zero value is ready.
type bell struct {
	rings atomic.Uint64

	mu   sync.Mutex
	next chan struct{} // guarded by mu; closed when it rings
}

// wait returns a channel that is closed when the bell rings next.
func (b *bell) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *bell) ring() {
	b.rings.Add(1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
