package registry

import (
	"context"
	"slices"
)

// readFor makes the shelf, which has read the log, know as much of the agents' pulses as a filter looks at.
func (d *Directory) readFor(ctx context.Context, s *shelf, f Filter) error {
	switch {
	case f.Loads():
		return d.readPulses(ctx, s)
	case f.live():
		return d.readOver(ctx, s)
	}
	return nil
}

// readOver makes the shelf, which has read the log, have the statuses of all agents as they are. The log has told of each status that is another one since a
// beat or a probe; what it does not tell is that a lease was renewed. So the pulses are read whose lease is over as far as the shelf knows and whose end nobody
// has told yet, which are few or none.
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
