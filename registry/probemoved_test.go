package registry_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/registrytest"
)

// TestAnAgentThatAnotherReplicaMovedIsProbedAtItsNewAddress has a replica probe whom nobody asks, and another one that does not probe.
func TestAnAgentThatAnotherReplicaMovedIsProbedAtItsNewAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, store := newWeb(), registrytest.Store(t)
		w.serve("https://old.example/card.json", string(named("a")))
		probing := registry.New(store, registry.Options{Client: w.client()})
		other := registry.New(store, registry.Options{Client: w.client()})
		if _, _, err := probing.Register(t.Context(), tenant, registry.Registration{CardURI: "https://old.example/card.json"}); err != nil {
			t.Fatalf("Register() = %v, want no error", err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		all := []func(context.Context) error{probing.RunProber, probing.RunSweeper, probing.Directory().Run}
		for _, run := range all {
			go func() { done <- run(ctx) }()
		}
		settle(3 * time.Minute)
		w.serve("https://new.example/card.json", string(named("a")))
		if _, _, err := other.Once(registry.Retry{}).Refresh(t.Context(), tenant, "a", "https://new.example/card.json", ""); err != nil {
			t.Fatalf("Refresh() = %v, want no error", err)
		}
		w.serve("https://old.example/card.json", "moved")
		for range 24 {
			settle(5 * time.Second)
			if got := statusOf(t, other, "a"); got.Status != registry.StatusAvailable {
				t.Fatalf("Status after the agent moved = %+v, want it available all the time", got)
			}
		}
		w.serve("https://new.example/card.json", "down")
		settle(time.Minute)
		if got := statusOf(t, other, "a"); got.Status != registry.StatusUnavailable {
			t.Errorf("Status a minute after the agent went down = %+v, want it unavailable", got)
		}
		stop()
		for range all {
			if err := <-done; err != nil {
				t.Errorf("a run ended with %v, want nil", err)
			}
		}
	})
}
