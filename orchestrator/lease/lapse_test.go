package lease_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// halting is a store that does not answer for a while.
type halting struct {
	storetest.MemoryLeases
	until atomic.Int64 // in nanoseconds since 1970
}

func (h *halting) Beat(ctx context.Context, n orchestrator.Node) error {
	select {
	case <-time.After(time.Until(time.Unix(0, h.until.Load()))):
		return h.MemoryLeases.Beat(ctx, n)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestGroupsThatCouldNotBeWorkedOnAreGainedAnew has a store not answer for so long that the leases lapse, but not so long that the replica drops them: one
// sign of life fails, and the next one comes late.
func TestGroupsThatCouldNotBeWorkedOnAreGainedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &halting{}
		s := run(t, store, "a")
		<-time.After(11 * time.Second) // between two signs of life
		before := s.gainedTimes()
		store.until.Store(time.Now().Add(8 * time.Second).UnixNano()) // the last one was a second ago, and counts for eight
		<-time.After(7500 * time.Millisecond)
		if _, held := s.manager.Epoch(0); held {
			t.Fatal("Epoch(0) says that the lease is held, want it lapsed by then")
		}
		<-time.After(2 * time.Second)
		if _, held := s.manager.Epoch(0); !held {
			t.Fatal("Epoch(0) says that the lease is not held, want it renewed by then")
		}
		if n := s.gainedTimes() - before; n != orchestrator.Groups {
			t.Errorf("the worker was told of %d groups, want all %d: nobody else looks at what came up meanwhile", n, orchestrator.Groups)
		}
	})
}
