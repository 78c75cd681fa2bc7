package lease

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
)

// balance takes free groups until this replica has its share of all groups, and releases those beyond it. Replicas that seem alive may just have died
// and never take their share. So nothing is released while any group is free, and groups that stay free are taken by whoever comes first.
func (m *Manager) balance(ctx context.Context, w Worker, v []orchestrator.Lease, alive map[string]bool) {
	target := (orchestrator.Groups + len(alive) - 1) / len(alive)
	var mine, free []orchestrator.Lease
	for g, l := range v {
		switch {
		case l.Owner == m.node:
			mine = append(mine, l)
		case !alive[l.Owner]:
			free = append(free, l)
			m.idle[g]++
			continue
		}
		m.idle[g] = 0
	}
	if surplus := len(mine) - target; surplus > 0 && len(free) == 0 {
		inParallel(mine[:surplus], func(l orchestrator.Lease) { m.release(ctx, w, l) })
	}
	m.takeFree(ctx, w, free, target-len(mine))
}

// takeFree takes the groups that were free for too long, and of the others as many as wanted. If another replica was faster it goes on to the next
// group, so that replicas that start together have their shares after one round.
func (m *Manager) takeFree(ctx context.Context, w Worker, free []orchestrator.Lease, wanted int) {
	// The order is random, so that replicas do not all try the same group first.
	rand.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] }) //nolint:gosec // nobody gains by guessing it
	waiting := make([]orchestrator.Lease, 0, len(free))
	overdue := make([]orchestrator.Lease, 0, len(free))
	for _, l := range free {
		if m.idle[l.Group] > idleRounds {
			overdue = append(overdue, l)
		} else {
			waiting = append(waiting, l)
		}
	}
	wanted -= m.takeAll(ctx, w, overdue)
	for wanted > 0 && len(waiting) > 0 {
		n := min(wanted, len(waiting))
		wanted -= m.takeAll(ctx, w, waiting[:n])
		waiting = waiting[n:]
	}
}

// takeAll tries to take each group, and returns how many it got.
func (m *Manager) takeAll(ctx context.Context, w Worker, free []orchestrator.Lease) int {
	var taken atomic.Int64
	inParallel(free, func(l orchestrator.Lease) {
		if m.take(ctx, w, l) {
			taken.Add(1)
		}
	})
	return int(taken.Load())
}

// inParallel calls do for each lease, for several at a time, and returns when all calls have returned.
func inParallel(leases []orchestrator.Lease, do func(orchestrator.Lease)) {
	var calls errgroup.Group
	calls.SetLimit(parallel)
	for _, l := range leases {
		calls.Go(func() error { do(l); return nil })
	}
	_ = calls.Wait() // do handles its own errors
}

// take tries to take a group, and reports whether it did. After an error the next round sees how things stand.
func (m *Manager) take(ctx context.Context, w Worker, seen orchestrator.Lease) bool {
	l, err := m.store.Take(ctx, seen.Group, m.node, seen.Epoch)
	if err != nil {
		m.logger.DebugContext(ctx, "a lease was not taken", slog.Int("group", seen.Group), slog.Any("error", err))
		return false
	}
	m.mu.Lock()
	m.held[l.Group], m.owner[l.Group] = l.Epoch, m.node
	m.mu.Unlock()
	w.Gained(l.Group)
	return true
}

// release ends the work on a group before it releases the lease, so that the next owner finds nothing in progress.
func (m *Manager) release(ctx context.Context, w Worker, l orchestrator.Lease) {
	m.mu.Lock()
	m.held[l.Group] = 0
	m.mu.Unlock()
	w.Drop(ctx, l.Group)
	if ctx.Err() != nil {
		return // the work may continue: the next round tries again
	}
	if err := m.store.Release(ctx, l); err != nil {
		m.logger.WarnContext(ctx, "a lease was not released; the next round tries again", slog.Int("group", l.Group), slog.Any("error", err))
	}
}
