package lease_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/lease"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// busy is a worker whose work does not end when it is asked to.
type busy struct{}

func (busy) Gained(int)                             {}
func (busy) Drop(ctx context.Context, _ int)        { <-ctx.Done() }
func (busy) Look(context.Context, orchestrator.Key) {}

// TestALeaseIsNotReleasedWhileItsWorkGoesOn has another replica come, which is to get half of the groups.
func TestALeaseIsNotReleasedWhileItsWorkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &storetest.MemoryLeases{}
		m, err := lease.New(lease.Config{Store: store, Logger: slog.New(slog.DiscardHandler), Node: "a"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			m.Run(ctx, busy{})
		}()
		<-time.After(10 * time.Second)
		other := run(t, store, "b")
		<-time.After(time.Minute)
		if n := other.holds(); n > 0 {
			t.Errorf("the other replica holds %d groups, want none: work on them goes on", n)
		}
		stop()
		<-ended
		<-time.After(time.Minute)
		if n := other.holds(); n != orchestrator.Groups {
			t.Errorf("once the first one has ended the other holds %d groups, want all %d", n, orchestrator.Groups)
		}
		other.stop()
		<-other.ended
	})
}
