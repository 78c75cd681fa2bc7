package registry

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// ChangesKept is how many changes a tenant's log keeps at least.
const ChangesKept = 1 << 16

// What a change can be.
const (
	ChangeCreated = "created" // an agent that was not there
	ChangeUpdated = "updated" // its etag is another
	ChangeDeleted = "deleted"
	ChangeStatus  = "status"  // Pulse.Announced is another
	ChangeMapping = "mapping" // the tenant's semantic mappings
)

// Entry is one change in a tenant's log.
type Entry struct {
	Revision int64     `json:"-"` // counts the tenant's changes from 1, without gaps
	Type     string    `json:"type"`
	Agent    string    `json:"agent,omitempty"`  // its name
	Status   string    `json:"status,omitempty"` // the new one, with ChangeStatus
	Time     time.Time `json:"time"`
}

// ChangeLog is what a Store that can be watched has besides. The store writes an entry in the same step as the change: for each
// Update that creates or deletes an agent or gives it another etag, for each UpdatePulse, and each Update with a pulse for an
// agent that was there, that changes Pulse.Announced, and for each UpdateMappings.
type ChangeLog interface {
	// Head returns the tenant's latest revision, 0 when nothing was ever changed.
	Head(ctx context.Context, tenant string) (int64, error)
	// Changes returns the tenant's changes behind the revision after, in order and without gaps, at most limit. When they are
	// not all kept any more, or after is later than Head, it returns the fault of RevisionGone.
	Changes(ctx context.Context, tenant string, after int64, limit int) ([]Entry, error)
}

// RevisionGone returns the FailedPrecondition fault for a revision that cannot be continued from, with the reason REVISION_GONE.
func RevisionGone(revision int64) error {
	return fault.New(fault.FailedPrecondition, "REVISION_GONE",
		"the changes behind revision %d are not kept; begin again with a snapshot", revision).With("revision", strconv.FormatInt(revision, 10))
}

// AnnouncedStatus returns the status that the change log told last, StatusUnknown when it told none.
func (p Pulse) AnnouncedStatus() string {
	if p.Announced == "" {
		return StatusUnknown
	}
	return p.Announced
}

// announcer is a Store that keeps Pulse.Announced true and tells of each write that may be in the change log.
type announcer struct {
	Store
	now  func() time.Time
	bell *bell
}

// Update writes and tells.
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
		a.bell.ring()
	}
	return err
}

// UpdatePulse writes and tells, if there is something to tell.
func (a *announcer) UpdatePulse(ctx context.Context, key Key, change func(old Pulse) (Pulse, error)) error {
	var news bool
	err := a.Store.UpdatePulse(ctx, key, func(old Pulse) (Pulse, error) {
		next, err := change(old)
		next.Announced = next.At(a.now()).Status
		news = next.Announced != old.AnnouncedStatus()
		return next, err
	})
	if err == nil && news {
		a.bell.ring()
	}
	return err
}

// bell wakes all who wait; the zero value is ready.
type bell struct {
	rings atomic.Uint64

	mu   sync.Mutex
	next chan struct{} // guarded by mu; closed when it rings
}

// wait returns what is closed when the bell rings next.
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
