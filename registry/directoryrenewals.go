package registry

import (
	"context"
	"errors"
	"slices"
)

// RecentPulses is implemented by a Store that reads pulses at half the price when they may be a little older than the call.
type RecentPulses interface {
	// RecentPulses returns the pulses of those of the agents that have one, as they were not long before the call. A pulse that is new may be missing.
	RecentPulses(ctx context.Context, keys ...Key) (map[Key]Pulse, error)
}

// readRenewals reads the pulses of all agents for what the log does not tell: renewals of leases, and loads, that other processes have written. They are most of
// what a registry reads, so recent ones have to do, and those of several tenants are read together.
func (d *Directory) readRenewals(ctx context.Context) error {
	tenants := d.loaded()
	var failed []error
	if d.registry.recent == nil {
		for _, s := range tenants {
			failed = append(failed, d.readPulses(ctx, s))
		}
		return errors.Join(failed...)
	}
	var keys []Key
	for _, s := range tenants {
		keys = append(keys, s.keys()...)
	}
	for chunk := range slices.Chunk(keys, directoryChunk) {
		pulses, err := d.registry.recent.RecentPulses(ctx, chunk...)
		failed = append(failed, err)
		for key, p := range pulses {
			s := d.tenant(key.Tenant)
			s.mu.Lock()
			s.renew(key.Name, p)
			s.mu.Unlock()
		}
	}
	return errors.Join(failed...)
}

// renewed takes over a pulse that this process has written: the load that an agent reports must not wait until all pulses are read the next time.
func (d *Directory) renewed(key Key, p Pulse) {
	d.mu.Lock()
	s := d.tenants[key.Tenant]
	d.mu.Unlock()
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renew(key.Name, p)
	if s.newer != nil { // what is being read may be from before
		s.newer[key.Name] = true
	}
}

// renew takes over a pulse that may be from before. The caller holds mu.
func (s *tenantDirectory) renew(name string, p Pulse) {
	if m := s.members[name]; m != nil && p.renews(m.pulse) {
		m.pulse = p
	}
}

// renews reports whether a pulse that may be from before is not older than a known one. What the log tells is left to the log: it comes in order.
func (p Pulse) renews(known Pulse) bool {
	return p.AnnouncedStatus() == known.AnnouncedStatus() && p.Epoch >= known.Epoch && !p.BeatTime.Before(known.BeatTime) && !p.ProbeTime.Before(known.ProbeTime)
}
