package registry

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
)

// recheckLater has the next sweepCards check the card of an agent that could not be checked now.
func (r *Registry) recheckLater(ctx context.Context, key Key, err error) {
	r.logger.WarnContext(ctx, "card not checked again", slog.String("agent", key.Name), slog.String("tenant", key.Tenant), slog.Any("error", err))
	r.uncertain.add(key)
}

// uncertainCards are the agents whose cards have to be checked again; the zero value is ready.
type uncertainCards struct {
	mu   sync.Mutex
	keys map[Key]bool // guarded by mu
}

func (u *uncertainCards) add(key Key) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.keys == nil {
		u.keys = make(map[Key]bool)
	}
	u.keys[key] = true
}

func (u *uncertainCards) take() []Key {
	u.mu.Lock()
	defer u.mu.Unlock()
	keys := slices.Collect(maps.Keys(u.keys))
	u.keys = nil
	return keys
}
