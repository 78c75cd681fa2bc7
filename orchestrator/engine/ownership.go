package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/quorate/quorate/orchestrator"
)

// errNotHeld means that this replica does not hold the lease on the task's shard.
var errNotHeld = errors.New("the task's shard is not held")

// assumeOwnership sets the epoch of this replica's lease on t, which makes t writable for it. If the task was last written under a higher epoch, the
// lease is lost, whatever this replica believes.
func (e *Engine) assumeOwnership(r *runner, t *orchestrator.Task) error {
	e.runners.setGroup(r, orchestrator.GroupOf(t.Shard))
	epoch, held := e.Leases.Epoch(t.Shard)
	switch {
	case !held:
		return errNotHeld
	case t.OwnerEpoch > epoch:
		e.Leases.Written(t.Shard, t.OwnerEpoch)
		return errNotHeld
	}
	t.OwnerEpoch = epoch
	return nil
}

// holds reports whether this replica works on a task.
func (e *Engine) holds(t *orchestrator.Task) bool {
	_, held := e.Leases.Epoch(t.Shard)
	return held
}

// handOver tells the holder of the task's shard that there is something to do. Where that fails it is to be repeated: the holder would find out with
// its next scan only, and somebody may wait for a reply or a cancellation to take effect.
func (e *Engine) handOver(ctx context.Context, t *orchestrator.Task) error {
	e.fresh.forget(t.Key()) // the new holder has to assume that the message was sent
	if t.Settled() {
		return nil
	}
	if err := e.Leases.Tell(ctx, t.Shard, t.Key()); err != nil {
		return fmt.Errorf("tell the replica that works on it: %w", err)
	}
	return nil
}

// leaseWorker adapts the engine to the lease manager.
type leaseWorker struct{ *Engine }

// Gained searches for the group's tasks.
func (e leaseWorker) Gained(group int) {
	e.scans.begin(group)
}

// Drop stops the group's runners and waits until they have ended.
func (e leaseWorker) Drop(ctx context.Context, group int) {
	e.scans.end(group)
	e.fresh.dropGroup(group)
	ending := e.runners.stopGroup(group)
	e.exchanges.DropGroup(group)
	e.traceQueries.DropGroup(group)
	e.outbox.DropGroup(group)
	for _, r := range ending {
		select {
		case <-r.done:
		case <-ctx.Done():
			return
		}
	}
}

// Look wakes a task that another replica has changed, and those who watch it, and interrupts its exchange when it is to be canceled or a reply is to be
// sent. If the store does not answer in time, the task is woken all the same.
func (e leaseWorker) Look(ctx context.Context, k orchestrator.Key) {
	ctx, cancel := context.WithTimeout(ctx, storeRetry)
	defer cancel()
	defer e.watchers.notify(k)
	if t, err := e.Store.Task(ctx, k); err == nil && mustInterrupt(&t) {
		e.runners.interrupt(k)
		return
	}
	e.Wake(k)
}
