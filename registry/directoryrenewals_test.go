package registry_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// recentStore returns what it was told to return as recent pulses, or the pulses as they are.
type recentStore struct {
	*embedded.Store

	old   atomic.Pointer[map[registry.Key]registry.Pulse]
	reads atomic.Int64
}

func (s *recentStore) RecentPulses(ctx context.Context, keys ...registry.Key) (map[registry.Key]registry.Pulse, error) {
	s.reads.Add(1)
	if old := s.old.Load(); old != nil {
		return *old, nil
	}
	return s.Pulses(ctx, keys...)
}

// pulsesNow returns what the store has of the agent a.
func pulsesNow(t *testing.T, s *recentStore) map[registry.Key]registry.Pulse {
	t.Helper()
	pulses, err := s.Pulses(t.Context(), registry.Key{Tenant: tenant, Name: "a"})
	if err != nil {
		t.Fatalf("Pulses() = %v, want no error", err)
	}
	return pulses
}

func TestADirectoryLearnsOfRenewalsFromRecentPulses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, followed := followed(t)
		s := &followed.recentStore
		register(t, r, "a")
		beat(t, r, registry.Beat{Agent: "a", Status: registry.StatusAvailable})
		synced(t, r.Directory())
		old := pulsesNow(t, s)

		<-time.After(25 * time.Second)
		beat(t, r, registry.Beat{Agent: "a", Epoch: 1, Status: registry.StatusAvailable, InFlight: 7})
		<-time.After(20 * time.Second) // the first lease is over
		if a, _ := r.Directory().Agent(tenant, "a"); a.Status.Status != registry.StatusAvailable || a.Status.InFlight != 7 || s.reads.Load() == 0 {
			t.Errorf("Agent() = %+v after %d reads, want it available with its load", a.Status, s.reads.Load())
		}

		beat(t, r, registry.Beat{Agent: "a", Epoch: 1, Status: registry.StatusAvailable, InFlight: 7})
		<-time.After(11 * time.Second) // it is read
		s.old.Store(&old)              // a pulse of before has a lease that is over, and another load
		before := s.reads.Load()
		<-time.After(15 * time.Second)
		if a, _ := r.Directory().Agent(tenant, "a"); a.Status.Status != registry.StatusAvailable || a.Status.InFlight != 7 || s.reads.Load() == before {
			t.Errorf("Agent() = %+v after %d reads of old pulses, want it as it was last", a.Status, s.reads.Load()-before)
		}
		undrained := pulsesNow(t, s)
		s.old.Store(&undrained)
		if _, err := r.Drain(t.Context(), tenant, "a", "repair", registry.Retry{}); err != nil {
			t.Fatal(err)
		}
		reads := s.reads.Load()
		<-time.After(20 * time.Second)
		if a, _ := r.Directory().Agent(tenant, "a"); !a.Status.Draining || a.Status.InFlight != 7 || s.reads.Load() == reads {
			t.Errorf("Agent() = %+v after %d reads of old pulses, want it drained as the log tells", a.Status, s.reads.Load()-reads)
		}
	})
}

func TestADirectoryKnowsALoadAsSoonAsItWasReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := followed(t)
		register(t, r, "a")
		beat(t, r, registry.Beat{Agent: "a", Status: registry.StatusAvailable, Capacity: 2, InFlight: 2})
		synced(t, r.Directory())
		for n := range 3 {
			beat(t, r, registry.Beat{Agent: "a", Epoch: 1, Status: registry.StatusAvailable, Capacity: 2, InFlight: n})
			if a, _ := r.Directory().Agent(tenant, "a"); a.Status.InFlight != n {
				t.Errorf("Agent() after a beat = %+v, want %d tasks under way", a.Status, n)
			}
		}
	})
}
