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
