package lease_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

func TestAGroupThatAnotherHasTakenIsDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		a := run(t, &store, "a")
		<-time.After(time.Second)
		const group = orchestrator.Groups - 1 // the last that a would release
		epoch, _ := a.manager.Epoch(group * orchestrator.ShardsPerGroup)
		if err := store.Beat(t.Context(), orchestrator.Node{ID: "b", Beats: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Take(t.Context(), group, "b", epoch); err != nil {
			t.Fatalf("Take(%d) = %v", group, err)
		}
		<-time.After(2500 * time.Millisecond)
		if _, held := a.manager.Epoch(group * orchestrator.ShardsPerGroup); held || a.has(group) {
			t.Errorf("a round after b took the group a may work on it: %t, and does: %t", held, a.has(group))
		}
	})
}

// unheard is a store that takes each lease, and whose first answer about it is lost.
type unheard struct {
	storetest.MemoryLeases
	mu    sync.Mutex
	taken map[int]bool // guarded by mu
}

func (u *unheard) Take(ctx context.Context, group int, node string, seen uint64) (orchestrator.Lease, error) {
	l, err := u.MemoryLeases.Take(ctx, group, node, seen)
	u.mu.Lock()
	defer u.mu.Unlock()
	if err == nil && !u.taken[group] {
		u.taken[group] = true
		return orchestrator.Lease{}, errors.New("the answer is lost")
	}
	return l, err
}

func TestAGroupIsWorkedOnThatWasTakenWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := run(t, &unheard{taken: make(map[int]bool)}, "a")
		<-time.After(3 * time.Second)
		if epoch, held := a.manager.Epoch(0); !held || epoch != 1 || a.holds() != orchestrator.Groups {
			t.Errorf("after two rounds a works on %d groups, on the first under epoch %d (%t), want all, as they were taken at first", a.holds(), epoch, held)
		}
	})
}

// unreadable is a store that for a while does not say who holds what, or takes no word.
type unreadable struct {
	storetest.MemoryLeases
	away atomic.Bool
}

func (u *unreadable) Leases(ctx context.Context) ([]orchestrator.Lease, error) {
	if u.away.Load() {
		return nil, errors.New("the store is away")
	}
	return u.MemoryLeases.Leases(ctx)
}

func (u *unreadable) Post(ctx context.Context, node string, k orchestrator.Key) error {
	if u.away.Load() {
		return errors.New("the store is away")
	}
	return u.MemoryLeases.Post(ctx, node, k)
}

// TestLeasesThatCannotBeReadAreKept has two rounds fail, after which the leases have not run out yet.
func TestLeasesThatCannotBeReadAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var store unreadable
		a := run(t, &store, "a")
		<-time.After(time.Second)
		before, _ := a.manager.Epoch(0)
		store.away.Store(true)
		<-time.After(4 * time.Second)
		if _, held := a.manager.Epoch(0); !held || a.holds() != orchestrator.Groups {
			t.Errorf("while the leases cannot be read a works on %d groups, on the first: %t, want all", a.holds(), held)
		}
		store.away.Store(false)
		<-time.After(4 * time.Second)
		if epoch, held := a.manager.Epoch(0); !held || epoch != before || a.gainedTimes() != orchestrator.Groups {
			t.Errorf("then a works on the first group under epoch %d (%t) and has gained %d groups, want epoch %d as before and nothing gained anew", epoch, held, a.gainedTimes(), before)
		}
	})
}
