package registry_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// TestWhoIsAvailableIsKnownWithoutReadingAllPulses has 30 agents beat, two of them once more after the directory has read their pulses: of that the log tells
// nothing.
func TestWhoIsAvailableIsKnownWithoutReadingAllPulses(t *testing.T) {
	t.Parallel()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	time0, m := newClock(), &meter{Store: store}
	r := registry.New(m, registry.Options{Now: time0.Now})
	for i := range 30 {
		name := fmt.Sprintf("a%02d", i)
		searchable(t, r, name, "", "s|d|t")
		beat(t, r, registry.Beat{Agent: name, Status: map[bool]string{true: "available", false: "busy"}[i%3 == 0]})
	}
	synced(t, r.Directory())
	available, err := registry.ParseFilter("status=available")
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string]func() []string{
		"Search()": func() []string { return found(t, r, registry.Search{Skill: "s", Available: true, Limit: 50}) },
		"AgentsInOrder()": func() (names []string) {
			list, _, err := r.AgentsInOrder(t.Context(), tenant, registry.Order{}, available, "", 50)
			if err != nil {
				t.Fatal(err)
			}
			for i := range list {
				names = append(names, list[i].Name+"[s]")
			}
			return names
		},
	}
	want := func(pulses int64, names ...string) {
		t.Helper()
		for call, list := range lists {
			before := m.pulses.Load()
			if got := list(); !slices.Equal(got, names) {
				t.Errorf("%s = %q, want %q", call, got, names)
			}
			if got := m.pulses.Load() - before; got > pulses {
				t.Errorf("%s read %d pulses, want %d", call, got, pulses)
			}
		}
	}
	want(10, "a00[s]", "a03[s]", "a06[s]", "a09[s]", "a12[s]", "a15[s]", "a18[s]", "a21[s]", "a24[s]", "a27[s]")
	time0.pass(20 * time.Second)
	beat(t, r, registry.Beat{Agent: "a03", Epoch: 1, Status: "available"})
	beat(t, r, registry.Beat{Agent: "a04", Epoch: 1, Status: "busy"})
	time0.pass(20 * time.Second)
	want(31, "a03[s]") // all leases seem to be over, and nobody has told of it yet
	if err := r.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(1, "a03[s]")
}
