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

// readPulses reads the pulses of all agents; the result is no older than the call. It does not block readers of the log, and what they have put on
// the directory meanwhile is newer and stays.
func (d *Directory) readPulses(ctx context.Context, s *tenantDirectory) error {
	asked := s.begun.Load()
	if err := s.reading.acquire(ctx); err != nil {
		return err
	}
	defer s.reading.release()
	if s.whole > asked { // somebody else has read them since
		return nil
	}
	this := s.begun.Add(1)
	for chunk := range slices.Chunk(s.keys(), directoryChunk) {
		if err := d.readChunk(ctx, s, chunk); err != nil {
			return err
		}
	}
	s.whole = this
	return nil
}

// keys returns those of all agents.
func (s *tenantDirectory) keys() []Key {
	s.mu.RLock()
	defer s.mu.RUnlock()
	keys := make([]Key, 0, len(s.members))
	for name := range s.members {
		keys = append(keys, Key{s.tenant, name})
	}
	return keys
}

// readChunk does the work of readPulses for some agents.
func (d *Directory) readChunk(ctx context.Context, s *tenantDirectory, keys []Key) error {
	s.mu.Lock()
	s.newer = make(map[string]bool)
	s.mu.Unlock()
	pulses, err := d.registry.store.Pulses(ctx, keys...)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		if err == nil && s.newer != nil && !s.newer[key.Name] {
			s.setPulse(key, pulses)
		}
	}
	s.newer = nil
	return err
}
