package pace

import (
	"context"

	"github.com/quorate/quorate/platform/share"
)

// Slots bound what is done at a time, over all sites. They are shared so that a slow site delays only itself: a site gets another slot only while it
// holds fewer than are free. Alone it gets half of the slots, a second site half of the rest, and so on, so there is a slot for a site without one
// until many sites are slow at the same time. Those that have waited longest come first. It is safe for concurrent use.
type Slots struct{ bySite *share.Places[string] }

// NewSlots returns n slots.
func NewSlots(n int) *Slots { return &Slots{share.NewPlaces[string](n)} }

// Take returns when the caller has a slot for the site of host, or with the cause when ctx ends first. The caller calls done when it no longer needs
// the slot.
func (s *Slots) Take(ctx context.Context, host string) (done func(), err error) {
	return s.bySite.Take(ctx, Site(host))
}
