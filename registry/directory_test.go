package registry_test

import (
	"context"
	"sync"
	"testing"
	"time"

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
	deadline := time.After(20 * time.Second)
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
	r := open(t, registry.Options{LeaseDuration: 600 * time.Millisecond})
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
	beat(t, r, registry.Beat{Agent: "a", Epoch: 1, Status: "available"})
	eventually(t, "the next beat, which the log does not tell,", func() bool {
		a, _ := d.Agent(tenant, "a")
		return a.Status.LeaseExpireTime.After(first.Status.LeaseExpireTime)
	})
}

func TestARunningSweeperTellsOfALeaseThatRanOut(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{LeaseDuration: 60 * time.Millisecond})
	background(t, r.RunSweeper)
	register(t, r, "a")
	beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	two := int64(2)
	if got, _ := told(t, r, registry.WatchOptions{Revision: &two}, 1); len(got) != 1 || got[0] != "status a unavailable" {
		t.Errorf("Watch(2) = %v, want that a is unavailable", got)
	}
}
