package registry

import (
	"context"
	"slices"
)

// RecentPulses is implemented by a Store that reads pulses at half the price when they may be a little older than the call.
type RecentPulses interface {
	// RecentPulses returns the pulses of those of the agents that have one, as they were not long before the call. A pulse that is new may be missing.
	RecentPulses(ctx context.Context, keys ...Key) (map[Key]Pulse, error)
}

// readRenewals reads the pulses of all agents for what the log does not tell: renewals of leases, and loads. They are most of what a registry reads, so
// recent ones have to do.
func (d *Directory) readRenewals(ctx context.Context, s *tenantDirectory) error {
	if d.registry.recent == nil {
		return d.readPulses(ctx, s)
	}
	for chunk := range slices.Chunk(s.keys(), directoryChunk) {
		pulses, err := d.registry.recent.RecentPulses(ctx, chunk...)
		if err != nil {
			return err
		}
		s.mu.Lock()
		for key, p := range pulses {
			if m := s.members[key.Name]; m != nil && p.renews(m.pulse) {
				m.pulse = p
			}
		}
		s.mu.Unlock()
	}
	return nil
}

// renews reports whether a pulse that may be from before is not older than a known one. What the log tells is left to the log: it comes in order.
func (p Pulse) renews(known Pulse) bool {
	return p.AnnouncedStatus() == known.AnnouncedStatus() && p.Epoch >= known.Epoch && !p.BeatTime.Before(known.BeatTime) && !p.ProbeTime.Before(known.ProbeTime)
}
