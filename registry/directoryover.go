package registry

import (
	"context"
	"slices"
)

// readFor reads as much of the pulses as the filter looks at. The shelf must be current with the log.
func (d *Directory) readFor(ctx context.Context, s *shelf, f Filter) error {
	switch {
	case f.Loads():
		return d.readPulses(ctx, s)
	case f.live():
		return d.readOver(ctx, s)
	}
	return nil
}

// readOver brings the statuses of all agents up to date. The shelf must be current with the log, which has every change of status but no renewal of a
// lease. So it reads only the pulses whose lease has expired, as far as the shelf knows, without the log having said so: few or none.
func (d *Directory) readOver(ctx context.Context, s *shelf) error {
	var over []Key
	now := d.registry.now()
	s.mu.RLock()
	for name, p := range s.pulses {
		if p.At(now).Status != p.AnnouncedStatus() {
			over = append(over, Key{s.tenant, name})
		}
	}
	s.mu.RUnlock()
	if len(over) == 0 {
		return nil
	}
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for chunk := range slices.Chunk(over, directoryChunk) {
		if err := d.readChunk(ctx, s, chunk); err != nil {
			return err
		}
	}
	return nil
}
