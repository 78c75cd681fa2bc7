package lease_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// lagging is a store far away. A write that its caller gives up is on its way all the same.
type lagging struct{ storetest.MemoryLeases }

const (
	lag      = 10 * time.Millisecond // of a write
	leaveLag = 2 * time.Millisecond  // of a replica's leave, which may overtake other writes
)

// after performs a write after a time, even if ctx ends before.
func after[T any](ctx context.Context, lag time.Duration, write func() (T, error)) (T, error) {
	type answer struct {
		result T
		err    error
	}
	answers := make(chan answer, 1)
	time.AfterFunc(lag, func() {
		result, err := write()
		answers <- answer{result, err}
	})
	select {
	case a := <-answers:
		return a.result, a.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

func (l *lagging) Beat(ctx context.Context, n orchestrator.Node) error {
	_, err := after(ctx, lag, func() (any, error) { return nil, l.MemoryLeases.Beat(ctx, n) })
	return err
}

func (l *lagging) Leave(ctx context.Context, node string) error {
	_, err := after(ctx, leaveLag, func() (any, error) { return nil, l.MemoryLeases.Leave(ctx, node) })
	return err
}

func (l *lagging) Take(ctx context.Context, group int, node string, seen uint64) (orchestrator.Lease, error) {
	return after(ctx, lag, func() (orchestrator.Lease, error) { return l.MemoryLeases.Take(ctx, group, node, seen) })
}

func (l *lagging) Release(ctx context.Context, released orchestrator.Lease) error {
	_, err := after(ctx, lag, func() (any, error) { return nil, l.MemoryLeases.Release(ctx, released) })
	return err
}

// TestWhatAReplicaLeavesIsTakenAtOnce stops one at every moment of its first rounds, in which it takes groups, gives half of them to the other, and only shows
// itself.
func TestWhatAReplicaLeavesIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	const (
		round = 2 * time.Second
		busy  = 150 * time.Millisecond // of a round at most
		step  = lag / 2
	)
	for _, ahead := range []time.Duration{0, time.Second} {
		for moment := time.Duration(0); moment < 2*round+busy; moment += step {
			if moment%round > busy {
				continue
			}
			t.Run(fmt.Sprintf("%s after one that came %s before", moment, ahead), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { stopAndTake(t, ahead, moment, round/2) })
			})
		}
	}
}

// stopAndTake stops a replica a moment after another one came, which has a time to take all groups.
func stopAndTake(t *testing.T, ahead, moment, within time.Duration) {
	t.Helper()
	store := new(lagging)
	leaving := run(t, store, "leaving")
	<-time.After(ahead)
	staying := run(t, store, "staying")
	<-time.After(ahead + moment)
	stopped := time.Now()
	leaving.stop()
	<-leaving.ended
	if took := time.Since(stopped); took > lag+leaveLag {
		t.Errorf("it leaves %s after it was stopped, want no longer than two calls take: it must not finish its round", took)
	}
	left := time.Now()
	for staying.holds() < orchestrator.Groups && time.Since(left) < time.Minute {
		<-time.After(lag)
	}
	if waited := time.Since(left); waited > within {
		t.Errorf("the other holds %d groups after %s, want all %d within %s", staying.holds(), waited, orchestrator.Groups, within)
	}
}
