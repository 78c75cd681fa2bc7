package registry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// background runs a task until the test ends and wants it to return nil.
func background(t *testing.T, run func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var group sync.WaitGroup
	group.Go(func() {
		if err := run(ctx); err != nil {
			t.Errorf("a background task = %v, want nil", err)
		}
	})
	t.Cleanup(func() {
		cancel()
		group.Wait()
	})
}

// eventually waits until is returns true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !is() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s did not happen", what)
		}
	}
}

func TestARunningDirectoryFollowsByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := open(t, registry.Options{})
		d := r.Directory()
		if err := d.Sync(t.Context(), tenant); err != nil {
			t.Fatalf("Sync() = %v, want no error", err)
		}
		background(t, d.Run)
		searchable(t, r, "a", "", "fetch|d|t")
		status := func() string {
			a, _ := d.Agent(tenant, "a")
			return a.Status.Status
		}
		eventually(t, "the registration", func() bool { return status() == registry.StatusUnknown })
		beat(t, r, registry.Beat{Agent: "a", Status: "available"})
		eventually(t, "the first beat", func() bool { return status() == registry.StatusAvailable })
		first, _ := d.Agent(tenant, "a")
		settle(time.Second)
		beat(t, r, registry.Beat{Agent: "a", Epoch: 1, Status: "available"})
		eventually(t, "the next beat, which the log does not tell,", func() bool {
			a, _ := d.Agent(tenant, "a")
			return a.Status.LeaseExpireTime.After(first.Status.LeaseExpireTime)
		})
	})
}

func TestARunningSweeperTellsOfALeaseThatRanOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := open(t, registry.Options{LeaseDuration: time.Second})
		background(t, r.RunSweeper)
		register(t, r, "a")
		beat(t, r, registry.Beat{Agent: "a", Status: "available"})
		two := int64(2)
		if got, _ := told(t, r, registry.WatchOptions{Revision: &two}, 1); len(got) != 1 || got[0] != "status a unavailable" {
			t.Errorf("Watch(2) = %v, want that a is unavailable", got)
		}
	})
}

// synced makes a directory know of everything and returns the edition of its listing.
func synced(t *testing.T, d *registry.Directory) uint64 {
	t.Helper()
	if err := d.Sync(t.Context(), tenant); err != nil || !d.Fresh(tenant) {
		t.Fatalf("Sync() = %v, and then Fresh() = %t, want no error and true", err, d.Fresh(tenant))
	}
	return d.Edition(tenant)
}

func TestAListingHasAllAgentsAndItsEditionTheirChanges(t *testing.T) {
	r := open(t, registry.Options{})
	d := r.Directory()
	if d.Fresh(tenant) {
		t.Error("Fresh() of a tenant that was never loaded = true, want false")
	}
	none := synced(t, d)
	register(t, r, "b")
	register(t, r, "a")
	if d.Fresh(tenant) {
		t.Error("Fresh() after a registration = true, want false")
	}
	two := synced(t, d)
	list := d.Listing(tenant)
	if list.Edition != two || two == none || len(list.Agents) != 2 || list.Agents[0].Name != "a" || list.Agents[1].Name != "b" {
		t.Errorf("Listing() = edition %d with %d agents, want edition %d, another one than %d, with a and b", list.Edition, len(list.Agents), two, none)
	}
	beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	if got := synced(t, d); got != two {
		t.Errorf("Edition() after a beat = %d, want %d still", got, two)
	}
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", ""); err != nil {
		t.Fatal(err)
	}
	if got := synced(t, d); got == two || len(d.Listing(tenant).Agents) != 1 {
		t.Errorf("after a deletion Listing() has %d agents, want 1 in another edition", len(d.Listing(tenant).Agents))
	}
}

func TestAListingKnowsWhichTypesAreRelated(t *testing.T) {
	r := open(t, registry.Options{})
	d := r.Directory()
	before := synced(t, d)
	if list := d.Listing(tenant); list.Related("artifact", "collection") || !list.Related("artifact", "document") {
		t.Error("Related() does not know the built-in table")
	}
	if _, err := r.CreateMapping(t.Context(), tenant, registry.Mapping{From: "artifact", To: "collection"}, registry.Retry{}); err != nil {
		t.Fatal(err)
	}
	after := synced(t, d)
	if list := d.Listing(tenant); before == after || !list.Related("artifact", "collection") {
		t.Errorf("after a mapping the edition is %d and was %d, and Related() = %t, want another one and true", after, before, list.Related("artifact", "collection"))
	}
	list := d.Listing(tenant)
	for from, want := range map[string][]string{"artifact": {"artifact", "collection", "document"}, "collection": {"collection"}, "unheard-of": {"unheard-of"}} {
		if got := slices.Sorted(slices.Values(list.UsableAs(from))); !slices.Equal(got, want) {
			t.Errorf("UsableAs(%s) = %q, want %q", from, got, want)
		}
	}
}

func TestAPeekShowsAnAgentAndItsStatus(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	d := r.Directory()
	searchable(t, r, "a", "", "fetch|d|t")
	beat(t, r, registry.Beat{Agent: "a", Status: "busy"})
	peek := func() (name string, s registry.Status) {
		t.Helper()
		if err := d.Sync(t.Context(), tenant); err != nil {
			t.Fatalf("Sync() = %v, want no error", err)
		}
		a, s, ok := d.Peek(tenant, "a")
		if !ok {
			t.Fatal("Peek(a) finds nothing")
		}
		return a.Card.Name, s
	}
	if name, s := peek(); name != "a" || s.Status != "busy" || s.Draining {
		t.Errorf("Peek(a) = %q, %+v, want a that is busy and not drained", name, s)
	}
	if _, err := r.Drain(t.Context(), tenant, "a", strings.Repeat("x", 501), registry.Retry{}); fault.ReasonOf(err) != "VALIDATION_FAILED" {
		t.Errorf("Drain() for a reason of 501 characters = %v, want VALIDATION_FAILED", err)
	}
	if _, err := r.Drain(t.Context(), tenant, "a", "", registry.Retry{}); err != nil {
		t.Fatalf("Drain() = %v, want no error", err)
	}
	if name, s := peek(); name != "a" || !s.Draining {
		t.Errorf("Peek(a) after Drain() = %q, %+v, want it drained", name, s)
	}
	seen := ""
	d.PeekAll(tenant, slices.Values([]string{"b", "a"}), func(a *registry.Agent, s registry.Status) { seen += fmt.Sprint(a.Name, s.Draining) })
	if seen != "atrue" {
		t.Errorf("PeekAll(b, a) = %q, want only a, drained", seen)
	}
	if _, _, ok := d.Peek(tenant, "b"); ok {
		t.Error("Peek(b) finds what is not there")
	}
}
