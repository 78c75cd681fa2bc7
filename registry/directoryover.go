package registry

import (
	"context"
	"slices"
)

// readPulsesFor reads as much of the pulses as the filter looks at. The tenant must be current with the log.
func (d *Directory) readPulsesFor(ctx context.Context, s *tenantDirectory, f Filter) error {
	switch {
	case f.Loads():
		return d.readPulses(ctx, s)
	case f.live():
		return d.refreshStatuses(ctx, s)
	}
	return nil
}

// refreshStatuses brings the statuses of all agents up to date. The tenant must be current with the log, which has every change of status but no renewal of a
// lease. So it reads only the pulses whose lease has expired, as far as the directory knows, without the log having said so: few or none.
func (d *Directory) refreshStatuses(ctx context.Context, s *tenantDirectory) error {
	var over []Key
	now := d.registry.now()
	s.mu.RLock()
	for name, m := range s.members {
		if p := m.pulse; p.At(now).Status != p.AnnouncedStatus() {
			over = append(over, Key{s.tenant, name})
		}
	}
	s.mu.RUnlock()
	if len(over) == 0 {
		return nil
	}
	if err := s.reading.acquire(ctx); err != nil {
		return err
	}
	defer s.reading.release()
	for chunk := range slices.Chunk(over, directoryChunk) {
		if err := d.readChunk(ctx, s, chunk); err != nil {
			return err
		}
	}
	return nil
}
