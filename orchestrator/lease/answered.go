package lease

import (
	"context"

	"github.com/quorate/quorate/orchestrator"
)

// answered is a store whose writes are waited for even if the replica is stopped meanwhile. A write that nobody waits for may be performed all the same, and
// after the replica has left: a sign of life would then have the others wait until it expires, and a group that it takes would be missed by their next round.
type answered struct{ orchestrator.LeaseStore }

// Beat implements orchestrator.LeaseStore.
func (a answered) Beat(ctx context.Context, n orchestrator.Node) error {
	ctx, cancel, err := unstopped(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	return a.LeaseStore.Beat(ctx, n)
}

// Take implements orchestrator.LeaseStore.
func (a answered) Take(ctx context.Context, group int, node string, seen uint64) (orchestrator.Lease, error) {
	ctx, cancel, err := unstopped(ctx)
	if err != nil {
		return orchestrator.Lease{}, err
	}
	defer cancel()
	return a.LeaseStore.Take(ctx, group, node, seen)
}

// unstopped returns a context for a call that ends at ctx's deadline, but not when ctx is canceled. If ctx has ended already, the call must not begin.
func unstopped(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	deadline, _ := ctx.Deadline() // that of a round
	call, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	return call, cancel, nil
}
