package lease_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// mute is a store that takes no signs of life, so that a replica never gets to read who holds what.
type mute struct{ orchestrator.LeaseStore }

func (mute) Beat(context.Context, orchestrator.Node) error { return context.DeadlineExceeded }

// TestAReplicaThatKnowsNoHoldersTellsThem has one accept a task, or a reply to one, before its first round.
func TestAReplicaThatKnowsNoHoldersTellsThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		holder := run(t, &store, "holder")
		<-time.After(time.Second)
		newcomer := run(t, mute{&store}, "newcomer")
		k := orchestrator.Key{Tenant: "t", ID: "1"}
		shard, _, held := newcomer.manager.Choose(k.ID)
		if held {
			t.Fatalf("Choose() says that shard %d is held, want that none is", shard)
		}
		if err := newcomer.manager.Tell(t.Context(), shard, k); err != nil {
			t.Fatalf("Tell(%d) = %v, want no error", shard, err)
		}
		<-time.After(time.Second)
		holder.mu.Lock()
		defer holder.mu.Unlock()
		if len(holder.looked) != 1 || holder.looked[0] != k {
			t.Errorf("the holder was told to look at %v, want %v", holder.looked, k)
		}
	})
}

// TestWordIsPostedToOthersOnly has a replica tell whoever holds a shard, once when that is nobody and once when it is the replica itself.
func TestWordIsPostedToOthersOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var store storetest.MemoryLeases
		alone := run(t, mute{&store}, "alone")
		k := orchestrator.Key{Tenant: "t", ID: "1"}
		if err := alone.manager.Tell(t.Context(), 0, k); err != nil {
			t.Fatalf("Tell() about a shard that nobody holds = %v, want no error", err)
		}
		if _, err := store.Take(t.Context(), 0, "alone", 0); err != nil {
			t.Fatal(err)
		}
		if err := alone.manager.Tell(t.Context(), 0, k); err != nil {
			t.Fatalf("Tell() about a shard of its own = %v, want no error", err)
		}
		<-time.After(time.Second)
		if word, err := store.Collect(t.Context(), "", 10); err != nil || len(word) != 0 {
			t.Errorf("Collect() for nobody = %v, %v, want nothing: it would stay for ever", word, err)
		}
		alone.mu.Lock()
		defer alone.mu.Unlock()
		if len(alone.looked) != 0 {
			t.Errorf("it told itself to look at %v, want nothing", alone.looked)
		}
	})
}

// TestWordThatIsNotPostedIsAnError has a store go away, once for a replica that knows the holder and once for one that has to read it.
func TestWordThatIsNotPostedIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var store unreadable
		run(t, &store, "holder")
		<-time.After(time.Second)
		newcomer := run(t, mute{&store}, "newcomer")
		store.away.Store(true)
		if err := newcomer.manager.Tell(t.Context(), 0, orchestrator.Key{Tenant: "t", ID: "1"}); err == nil {
			t.Error("Tell() while it cannot be read who holds the shard = nil, want an error")
		}
		store.away.Store(false)
		other := run(t, &store, "other")
		<-time.After(10 * time.Second)
		store.away.Store(true)
		for shard := range orchestrator.Shards {
			if _, held := other.manager.Epoch(shard); !held {
				if err := other.manager.Tell(t.Context(), shard, orchestrator.Key{Tenant: "t", ID: "1"}); err == nil {
					t.Fatalf("Tell(%d) while the store takes no word = nil, want an error", shard)
				}
			}
		}
	})
}
