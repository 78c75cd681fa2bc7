package lease_test

import (
	"context"
	"errors"
	"sync"
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
