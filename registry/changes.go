package registry

import (
	"context"
	"strconv"
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
// that creates or deletes an agent or changes its etag; for each UpdatePulse that changes Pulse.Announced; and for each UpdateMappings.
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

// notifyingStore wraps a Store: it keeps Pulse.Announced up to date and announces each write that may be in the change log.
type notifyingStore struct {
	Store
	now     func() time.Time
	written *broadcasts
	renewed func(key Key, p Pulse) // called with each pulse that was written without a change of status, which is not in the change log
}

// Update writes, then announces that.
func (s *notifyingStore) Update(ctx context.Context, key Key, change func(old *Record) (Change, error)) error {
	err := s.Store.Update(ctx, key, func(old *Record) (Change, error) {
		c, err := change(old)
		if err == nil && c.Pulse != nil {
			announced := *c.Pulse
			announced.Announced = announced.At(s.now()).Status
			c.Pulse = &announced
		}
		return c, err
	})
	if err == nil {
		s.written.notify(key.Tenant)
	}
	return err
}

// UpdatePulse writes, and announces that if the status has changed.
func (s *notifyingStore) UpdatePulse(ctx context.Context, key Key, change func(old Pulse) (Pulse, error)) error {
	var news bool
	var written Pulse
	err := s.Store.UpdatePulse(ctx, key, func(old Pulse) (Pulse, error) {
		next, err := change(old)
		next.Announced = next.At(s.now()).Status
		news, written = next.Announced != old.AnnouncedStatus(), next
		return next, err
	})
	switch {
	case err != nil:
		return err
	case news:
		s.written.notify(key.Tenant)
	default:
		s.renewed(key, written)
	}
	return nil
}
