package registry_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// tenantStore counts how often the log of each tenant is read.
type tenantStore struct {
	recentStore

	mu   sync.Mutex
	logs map[string]int // guarded by mu
}

func (s *tenantStore) Changes(ctx context.Context, tenant string, after int64, limit int) ([]registry.Entry, error) {
	s.mu.Lock()
	s.logs[tenant]++
	s.mu.Unlock()
	return s.Store.Changes(ctx, tenant, after, limit)
}

// counted returns how often the log of a tenant was read since the last call.
func (s *tenantStore) counted(tenant string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.logs[tenant]
	s.logs[tenant] = 0
	return n
}

// followed returns a registry over a store, whose directory runs until t ends. For tests in a bubble, since both have its clock.
func followed(t *testing.T) (*registry.Registry, *tenantStore) {
	t.Helper()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	inner, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	s := &tenantStore{recentStore: recentStore{Store: inner}, logs: make(map[string]int)}
	r := registry.New(s, registry.Options{LeaseDuration: 30 * time.Second})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Directory().Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, db.Close()); err != nil {
			t.Errorf("Run() and Close() = %v, want nil", err)
		}
	})
	return r, s
}

// TestTheLogOfATenantIsFollowedWhileSomebodyAsksForIt has one of two tenants be asked for, for ten minutes.
func TestTheLogOfATenantIsFollowedWhileSomebodyAsksForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s := followed(t)
		d := r.Directory()
		for _, name := range []string{"busy", "idle"} {
			if err := d.Sync(t.Context(), name); err != nil {
				t.Fatalf("Sync(%s) = %v, want no error", name, err)
			}
		}
		<-time.After(2 * time.Minute)
		s.counted("busy")
		s.counted("idle")
		for range 60 {
			if err := d.Refresh(t.Context(), "busy"); err != nil {
				t.Fatalf("Refresh() = %v, want no error", err)
			}
			<-time.After(10 * time.Second)
		}
		if busy, idle := s.counted("busy"), s.counted("idle"); busy < 1100 || idle > 0 {
			t.Errorf("the log of who was asked for was read %d times, and the other one %d times, want twice a second and not at all", busy, idle)
		}
		other := registry.New(s.Store, registry.Options{})
		if _, _, err := other.Register(t.Context(), "idle", registry.Registration{RawCard: named("a")}); err != nil {
			t.Fatalf("Register() = %v, want no error", err)
		}
		if err := d.Refresh(t.Context(), "idle"); err != nil {
			t.Fatalf("Refresh() = %v, want no error", err)
		}
		if _, ok := d.Agent("idle", "a"); !ok {
			t.Error("Agent() after Refresh() knows nothing of what another replica wrote meanwhile")
		}
	})
}

// TestLeasesOfManyTenantsAreReadTogether has 50 tenants with an agent each.
func TestLeasesOfManyTenantsAreReadTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, s := followed(t)
		const tenants = 50
		names := make([]string, tenants)
		for i := range names {
			names[i] = fmt.Sprintf("t%02d", i)
			if _, _, err := r.Register(t.Context(), names[i], registry.Registration{RawCard: named("a")}); err != nil {
				t.Fatalf("Register() = %v, want no error", err)
			}
			if err := r.Directory().Sync(t.Context(), names[i]); err != nil {
				t.Fatalf("Sync() = %v, want no error", err)
			}
		}
		other := registry.New(s.Store, registry.Options{LeaseDuration: 30 * time.Second})
		before := s.reads.Load()
		for round := range 6 {
			for _, name := range names {
				if _, err := other.Heartbeat(t.Context(), name, registry.Beat{Agent: "a", Epoch: int64(min(round, 1)), Status: registry.StatusAvailable}); err != nil {
					t.Fatalf("Heartbeat() = %v, want no error", err)
				}
				if round == 0 {
					if err := r.Directory().Sync(t.Context(), name); err != nil {
						t.Fatalf("Sync() = %v, want no error", err)
					}
				}
			}
			<-time.After(15 * time.Second)
		}
		if reads := s.reads.Load() - before; reads > 10 {
			t.Errorf("leases were read in %d calls in 90 seconds, want one call every ten seconds", reads)
		}
		for _, name := range names {
			if a, _ := r.Directory().Agent(name, "a"); a.Status.Status != registry.StatusAvailable {
				t.Errorf("Agent(%s) = %+v, want it available", name, a.Status)
			}
		}
	})
}

// TestALeaseThatWasRenewedElsewhereIsLearned has a directory that does not read leases by itself.
func TestALeaseThatWasRenewedElsewhereIsLearned(t *testing.T) {
	t.Parallel()
	r, s := openPulseStore(t)
	now := newClock()
	here := registry.New(s.Store, registry.Options{Now: now.Now, LeaseDuration: 30 * time.Second})
	there := registry.New(s.Store, registry.Options{Now: now.Now, LeaseDuration: 30 * time.Second})
	register(t, r, "a")
	beat(t, there, registry.Beat{Agent: "a", Status: registry.StatusAvailable})
	synced(t, here.Directory())
	now.pass(20 * time.Second)
	beat(t, there, registry.Beat{Agent: "a", Epoch: 1, Status: registry.StatusAvailable})
	now.pass(20 * time.Second)
	status := func() string { a, _ := here.Directory().Agent(tenant, "a"); return a.Status.Status }
	synced(t, here.Directory())
	if got := status(); got != registry.StatusUnavailable {
		t.Fatalf("Agent() after Sync() is %s, want it unavailable: the log has no renewals", got)
	}
	for _, want := range []bool{true, false} {
		if learned, err := here.Directory().SyncStatuses(t.Context(), tenant); err != nil || learned != want || status() != registry.StatusAvailable {
			t.Errorf("SyncStatuses() = %t, %v, and the agent is %s, want %t and available", learned, err, status(), want)
		}
	}
}
