package registry

import (
	"context"
	"slices"
	"time"
)

// readPulsesFor reads as much of the pulses as the filter looks at. The tenant must be current with the log.
func (d *Directory) readPulsesFor(ctx context.Context, s *tenantDirectory, f Filter) error {
	switch {
	case f.Loads():
		return d.readPulses(ctx, s)
	case f.live():
		_, err := d.refreshStatuses(ctx, s)
		return err
	}
	return nil
}

// SyncStatuses is Sync, and also brings the statuses of all agents up to date: a lease may have been renewed since this process read it. It reports whether it
// learned of any that was.
func (d *Directory) SyncStatuses(ctx context.Context, tenant string) (learned bool, err error) {
	if err := d.Sync(ctx, tenant); err != nil {
		return false, err
	}
	return d.refreshStatuses(ctx, d.tenant(tenant))
}

// refreshStatuses brings the statuses of all agents up to date, and reports whether it learned of any. The tenant must be current with the log, which has every
// change of status but no renewal of a lease. So it reads only the pulses whose lease has expired, as far as the directory knows, without the log having said so:
// few or none.
func (d *Directory) refreshStatuses(ctx context.Context, s *tenantDirectory) (learned bool, err error) {
	now := d.registry.now()
	over := s.unannounced(now)
	if len(over) == 0 {
		return false, nil
	}
	if err := s.reading.acquire(ctx); err != nil {
		return false, err
	}
	defer s.reading.release()
	for chunk := range slices.Chunk(over, directoryChunk) {
		if err := d.readChunk(ctx, s, chunk); err != nil {
			return false, err
		}
	}
	return len(s.unannounced(now)) < len(over), nil
}

// unannounced returns the keys of the agents whose status is not what the log has told, since their lease has expired as far as the directory knows.
func (s *tenantDirectory) unannounced(now time.Time) (over []Key) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for name, m := range s.members {
		if p := m.pulse; p.At(now).Status != p.AnnouncedStatus() {
			over = append(over, Key{s.tenant, name})
		}
	}
	return over
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
