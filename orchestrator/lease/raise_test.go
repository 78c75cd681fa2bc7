package lease_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// The tables of tasks and of leases may have been restored to different moments, or the leases not at all.
func TestALeaseThatIsOlderThanTheTasksIsRaised(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		a := run(t, &store, "a")
		<-time.After(time.Second)
		const shard, epoch = 17, 2500
		other, _ := a.manager.Epoch(shard + orchestrator.ShardsPerGroup)
		before := a.gainedTimes()
		for range 5 {
			a.manager.Written(shard, epoch) // as the task is looked at again
			<-time.After(2500 * time.Millisecond)
		}
		if got, ok := a.manager.Epoch(shard); !ok || got != epoch {
			t.Errorf("the epoch of the lease = %d, %t, want %d, that of the task", got, ok, epoch)
		}
		if n := a.gainedTimes() - before; n != 3 {
			t.Errorf("the worker was told %d times that it may work on the group under another epoch, want 3: once for each thousand, and no more after that", n)
		}
		if got, ok := a.manager.Epoch(shard + orchestrator.ShardsPerGroup); !ok || got != other {
			t.Errorf("the epoch of another lease = %d, %t, want still %d", got, ok, other)
		}
	})
}

// tired is a store that fails when a lease is to be raised to an epoch, for as long as it is tired.
type tired struct {
	storetest.MemoryLeases
	of atomic.Uint64 // an epoch; 0: it is not
}

func (s *tired) Take(ctx context.Context, group int, node string, seen uint64) (orchestrator.Lease, error) {
	if of := s.of.Load(); of > 0 && seen+1 == of {
		return orchestrator.Lease{}, errors.New("the store is away")
	}
	return s.MemoryLeases.Take(ctx, group, node, seen)
}

// TestALeaseThatCannotBeRaisedIsHeldAsFarAsItGot has the store fail while the epoch of a lease is raised.
func TestALeaseThatCannotBeRaisedIsHeldAsFarAsItGot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var store tired
		a := run(t, &store, "a")
		<-time.After(time.Second)
		const shard, epoch, reached = 17, 25, 9
		store.of.Store(reached + 1)
		a.manager.Written(shard, epoch)
		<-time.After(10 * time.Second)
		if got, ok := a.manager.Epoch(shard); !ok || got != reached || a.manager.Held() != orchestrator.Groups {
			t.Errorf("the epoch of the lease = %d, %t, want %d, as it is stored, and all %d leases held, not %d", got, ok, reached, orchestrator.Groups, a.manager.Held())
		}
		store.of.Store(0)
		<-time.After(10 * time.Second)
		if got, ok := a.manager.Epoch(shard); !ok || got != epoch {
			t.Errorf("the epoch of the lease = %d, %t, want %d once the store takes it", got, ok, epoch)
		}
	})
}

func TestTheLeaseOfAnotherIsNotRaised(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		a, b := run(t, &store, "a"), run(t, &store, "b")
		<-time.After(10 * time.Second)
		for shard := range orchestrator.Shards {
			epoch, mine := a.manager.Epoch(shard)
			if mine {
				b.manager.Written(shard, epoch+1)
			}
		}
		before, _ := store.Leases(t.Context())
		<-time.After(10 * time.Second)
		after, _ := store.Leases(t.Context())
		for i := range before {
			if before[i] != after[i] {
				t.Fatalf("the lease %+v has become %+v", before[i], after[i])
			}
		}
	})
}
