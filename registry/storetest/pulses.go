package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

func pulses(t *testing.T, s registry.Store) {
	r, other := Record("t", "a"), Record("t", "b")
	err := s.UpdatePulse(t.Context(), r.Key(), func(p registry.Pulse) (registry.Pulse, error) { return p, nil })
	if fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("UpdatePulse() of a missing agent = %v, want AGENT_NOT_FOUND", err)
	}
	Put(t, s, r)
	Put(t, s, other)
	beat(t, s, r.Key())
	beat(t, s, r.Key())
	Put(t, s, r) // a write without a pulse keeps it
	want := map[registry.Key]registry.Pulse{
		r.Key(): {Epoch: 2, Word: registry.StatusBusy, BeatTime: epoch, BeatExpire: epoch.Add(time.Minute)},
	}
	got, err := s.Pulses(t.Context(), other.Key(), r.Key(), registry.Key{Tenant: "t", Name: "nobody"})
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("Pulses() = %v, difference (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	if after, err := s.Agent(t.Context(), r.Key()); err != nil || cmp.Diff(*r, after) != "" {
		t.Errorf("Agent() after beats = %v, difference (-want +got):\n%s", err, cmp.Diff(*r, after))
	}
}

func beat(t *testing.T, s registry.Store, key registry.Key) {
	t.Helper()
	err := s.UpdatePulse(t.Context(), key, func(p registry.Pulse) (registry.Pulse, error) {
		p.Epoch++
		p.Word, p.BeatTime, p.BeatExpire = registry.StatusBusy, epoch, epoch.Add(time.Minute)
		return p, nil
	})
	if err != nil {
		t.Fatalf("UpdatePulse(%v) = %v, want no error", key, err)
	}
}
