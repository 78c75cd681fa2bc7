package registry_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
	"github.com/quorate/quorate/registry/registrytest"
)

// leaving is a store that lists no agents while it is away.
type leaving struct {
	*embedded.Store
	away atomic.Bool
}

func (l *leaving) Agents(ctx context.Context, q registry.Query) ([]registry.Record, error) {
	if l.away.Load() {
		return nil, fault.New(fault.Unavailable, "STORE_AWAY", "the store is away")
	}
	return l.Store.Agents(ctx, q)
}

// The leases of all agents run out while the store is away: nobody gets a task until they are probed.
func TestAgentsAreUpSoonAfterTheStoreIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.serve("https://a.example/.well-known/agent-card.json", string(named("a")))
		store := &leaving{Store: registrytest.Store(t)}
		var log strings.Builder
		r := registry.New(store, registry.Options{Client: w.client(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		register(t, r, "a")
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- r.RunProber(ctx) }()
		go func() { done <- r.Directory().Run(ctx) }()
		settle(time.Second)
		store.away.Store(true)
		settle(time.Hour)
		if got := statusOf(t, r, "a"); got.Status != registry.StatusUnavailable {
			t.Errorf("Status while the store is away = %+v, want unavailable", got)
		}
		store.away.Store(false)
		settle(2 * time.Second)
		if got := statusOf(t, r, "a"); got.Status != registry.StatusAvailable {
			t.Errorf("Status two seconds after the store is back = %+v, want available", got)
		}
		stop()
		for range 2 {
			if err := <-done; err != nil {
				t.Errorf("RunProber() or Run() = %v, want nil at the end", err)
			}
		}
		const most = 15 // lines
		if n := strings.Count(log.String(), "agents to probe not read"); n == 0 || n > most {
			t.Errorf("in an hour the log has %d lines about agents that were not read, want some, and at most %d", n, most)
		}
	})
}
