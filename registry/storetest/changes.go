package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// announce writes a pulse that announces the status.
func announce(t *testing.T, s registry.Store, key registry.Key, status string) {
	t.Helper()
	err := s.UpdatePulse(t.Context(), key, func(p registry.Pulse) (registry.Pulse, error) {
		p.Announced, p.BeatTime = status, p.BeatTime.Add(time.Second)
		return p, nil
	})
	if err != nil {
		t.Fatalf("UpdatePulse(%v) = %v, want no error", key, err)
	}
}

// changeLog tests a store that is a registry.ChangeLog, and does nothing for other stores.
func changeLog(t *testing.T, s registry.Store) {
	log, ok := s.(registry.ChangeLog)
	if !ok {
		return
	}
	r, other := Record("t", "a", "fetch"), Record("u", "b")
	Put(t, s, r)
	Put(t, s, r) // the same etag
	next := *r
	next.Etag = "e2"
	Put(t, s, &next)
	Put(t, s, other)
	announce(t, s, r.Key(), registry.StatusAvailable)
	announce(t, s, r.Key(), registry.StatusAvailable) // a beat
	announce(t, s, r.Key(), registry.StatusBusy)
	_ = s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) { return registry.Change{}, errRefused })
	_ = s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) { return registry.Change{Record: r, DryRun: true}, nil })
	remove(t, s, r.Key())
	remove(t, s, r.Key()) // it is not there
	want := []registry.Entry{
		{Revision: 1, Type: registry.ChangeCreated, Agent: "a"},
		{Revision: 2, Type: registry.ChangeUpdated, Agent: "a"},
		{Revision: 3, Type: registry.ChangeStatus, Agent: "a", Status: registry.StatusAvailable},
		{Revision: 4, Type: registry.ChangeStatus, Agent: "a", Status: registry.StatusBusy},
		{Revision: 5, Type: registry.ChangeDeleted, Agent: "a"},
	}
	var got []registry.Entry
	for after := int64(0); ; { // in pieces
		entries, err := log.Changes(t.Context(), "t", after, 2)
		if err != nil {
			t.Fatalf("Changes(%d) = %v, want no error", after, err)
		}
		if len(entries) == 0 {
			break
		}
		got = append(got, entries...)
		after = entries[len(entries)-1].Revision
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(registry.Entry{}, "Time")); diff != "" {
		t.Errorf("Changes(), difference (-want +got):\n%s", diff)
	}
	for tenant, want := range map[string]int64{"t": 5, "u": 1, "nobody": 0} {
		if got, err := log.Head(t.Context(), tenant); got != want || err != nil {
			t.Errorf("Head(%s) = %d, %v, want %d", tenant, got, err, want)
		}
	}
	for _, after := range []int64{-1, 6} {
		if _, err := log.Changes(t.Context(), "t", after, 2); fault.ReasonOf(err) != "REVISION_GONE" {
			t.Errorf("Changes(%d) = %v, want REVISION_GONE", after, err)
		}
	}
}
