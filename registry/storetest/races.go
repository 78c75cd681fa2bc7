package storetest

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/registry"
)

const racers = 32

func race(run func(i int)) {
	var group sync.WaitGroup
	for i := range racers {
		group.Go(func() { run(i) })
	}
	group.Wait()
}

func creationRace(t *testing.T, s registry.Store) {
	var won atomic.Int32
	race(func(int) {
		r := Record("t", "a", "fetch")
		err := s.Update(t.Context(), r.Key(), func(old *registry.Record) (registry.Change, error) {
			if old != nil {
				return registry.Change{}, errRefused
			}
			return registry.Change{Record: r}, nil
		})
		if err == nil {
			won.Add(1)
		}
	})
	if won.Load() != 1 {
		t.Errorf("%d creations won, want 1", won.Load())
	}
}

func updateRace(t *testing.T, s registry.Store) {
	Put(t, s, Record("t", "a"))
	key := registry.Key{Tenant: "t", Name: "a"}
	race(func(i int) {
		_ = s.Update(t.Context(), key, func(old *registry.Record) (registry.Change, error) {
			next := *old
			next.Revision++
			if i%4 == 0 { // refusals must not take others back
				return registry.Change{Record: &next}, errRefused
			}
			return registry.Change{Record: &next}, nil
		})
		beat(t, s, key)
	})
	got, err := s.Agent(t.Context(), key)
	if want := int64(1 + racers*3/4); err != nil || got.Revision != want {
		t.Errorf("Agent().Revision = %d, %v, want %d", got.Revision, err, want)
	}
	if p, err := s.Pulses(t.Context(), key); err != nil || p[key].Epoch != racers {
		t.Errorf("Pulses() = %+v, %v, want epoch %d", p, err, racers)
	}
}
