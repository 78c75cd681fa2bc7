package lease

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
)

// Run takes leases, keeps them and passes on messages until ctx ends; then it releases everything. The worker must have ended its work by then.
func (m *Manager) Run(ctx context.Context, w Worker) {
	m.runRound(ctx, w)
	beat, collect := time.NewTicker(m.duration/beats), time.NewTicker(m.collect)
	defer beat.Stop()
	defer collect.Stop()
	for {
		select { // a sign of life that is due comes first: messages may take long, and without signs of life the leases are lost
		case <-beat.C:
			m.runRound(ctx, w)
			continue
		default:
		}
		select {
		case <-ctx.Done():
			m.releaseAll(context.WithoutCancel(ctx))
			return
		case <-beat.C:
			m.runRound(ctx, w)
		case <-collect.C:
			m.deliverMessages(ctx, w)
		}
	}
}

// runRound does one round: it sends a sign of life, reads those of the others and who holds what, and takes and releases groups accordingly. Only a
// complete round extends the time for which held groups may be worked on.
func (m *Manager) runRound(running context.Context, w Worker) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(running, m.duration/2)
	defer cancel()
	m.beat++
	err := m.store.Beat(ctx, orchestrator.Node{ID: m.node, Beats: m.beat})
	var alive map[string]bool
	if err == nil {
		alive, err = m.liveNodes(ctx)
	}
	var leases []orchestrator.Lease
	if err == nil {
		leases, err = m.store.Leases(ctx)
	}
	if err != nil {
		if running.Err() == nil { // a store that hangs uses up the time of the round
			m.logger.ErrorContext(ctx, "the leases could not be renewed; work stops when they run out", slog.Any("error", err))
		}
		m.dropExpired(ctx, w)
		return
	}
	v := allGroups(leases)
	m.reconcile(ctx, w, v)
	m.extend(w, start)
	m.raise(ctx, w, v)
	m.balance(ctx, w, v, alive)
}

// extend lets the held groups be worked on for a lease from start, less a margin. If they could not be for a while, as after the process was paused, they count
// as gained once more: what came up meanwhile was not begun, and nobody else was told of it.
func (m *Manager) extend(w Worker, start time.Time) {
	m.mu.Lock()
	lapsed := !time.Now().Before(m.until)
	m.until = start.Add(m.duration - m.duration/beats)
	held := m.held
	m.mu.Unlock()
	for g, epoch := range held {
		if lapsed && epoch > 0 {
			w.Gained(g)
		}
	}
}

// liveNodes returns the nodes with a new sign of life within the lease duration, and forgets those that are long gone.
func (m *Manager) liveNodes(ctx context.Context) (map[string]bool, error) {
	nodes, err := m.store.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	alive := map[string]bool{m.node: true}
	now := time.Now()
	listed := make(map[string]heartbeat, len(nodes))
	for _, n := range nodes {
		last, ok := m.seen[n.ID]
		if !ok || last.left || last.beats != n.Beats {
			last = heartbeat{beats: n.Beats, at: now}
		}
		listed[n.ID] = last
		switch silent := now.Sub(last.at); {
		case silent < m.duration:
			alive[n.ID] = true
		case silent > 10*m.duration && n.ID != m.node:
			if err := m.store.Leave(ctx, n.ID); err != nil {
				return nil, err
			}
		}
	}
	if err := m.deleteStaleNodes(ctx, listed, now); err != nil {
		return nil, err
	}
	m.seen = listed
	return alive, nil
}

// deleteStaleNodes deletes messages to nodes that have left, once all others know that too. It adds the nodes for which that is too early to listed.
func (m *Manager) deleteStaleNodes(ctx context.Context, listed map[string]heartbeat, now time.Time) error {
	for node, last := range m.seen {
		if _, here := listed[node]; here {
			continue
		}
		if !last.left {
			last = heartbeat{at: now, left: true}
		}
		if now.Sub(last.at) < m.duration {
			listed[node] = last
		} else if err := m.store.Leave(ctx, node); err != nil {
			return err
		}
	}
	return nil
}

// allGroups returns the lease of every group, taken or not.
func allGroups(leases []orchestrator.Lease) []orchestrator.Lease {
	v := make([]orchestrator.Lease, orchestrator.Groups)
	for g := range v {
		v[g].Group = g
	}
	for _, l := range leases {
		if l.Group >= 0 && l.Group < len(v) {
			v[l.Group] = l
		}
	}
	return v
}

// reconcile brings the held groups in line with the store: it drops groups that others have taken, and holds those that a call without an answer has
// taken.
func (m *Manager) reconcile(ctx context.Context, w Worker, v []orchestrator.Lease) {
	for g, l := range v {
		m.mu.Lock()
		before, now := m.held[g], uint64(0)
		if l.Owner == m.node {
			now = l.Epoch
		}
		m.held[g], m.owner[g] = now, l.Owner
		m.mu.Unlock()
		switch {
		case before == now:
		case now == 0:
			w.Drop(ctx, g)
		default:
			w.Gained(g)
		}
	}
}

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

// dropExpired drops everything once the leases may have expired.
func (m *Manager) dropExpired(ctx context.Context, w Worker) {
	m.mu.Lock()
	if time.Now().Before(m.until) {
		m.mu.Unlock()
		return
	}
	held := m.held
	m.held = [orchestrator.Groups]uint64{}
	m.mu.Unlock()
	for g, epoch := range held {
		if epoch > 0 {
			w.Drop(ctx, g)
		}
	}
}

// deliverMessages hands messages of other replicas to the worker, in less time than held groups may be worked on without a sign of life.
func (m *Manager) deliverMessages(running context.Context, w Worker) {
	const limit = 200
	ctx, cancel := context.WithTimeout(running, m.duration/2)
	defer cancel()
	keys, err := m.store.Collect(ctx, m.node, limit)
	if err != nil && running.Err() == nil {
		m.logger.WarnContext(ctx, "word of other replicas could not be read; trying again", slog.Any("error", err))
	}
	for _, k := range keys {
		w.Look(ctx, k)
	}
}

// releaseAll releases everything, so that others need not wait for the leases to expire. Where that fails, they expire.
func (m *Manager) releaseAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, m.duration/2)
	defer cancel()
	m.mu.Lock()
	held := m.held
	m.held = [orchestrator.Groups]uint64{}
	m.mu.Unlock()
	var calls errgroup.Group
	calls.SetLimit(parallel)
	for g, epoch := range held {
		if epoch > 0 {
			calls.Go(func() error {
				return m.store.Release(ctx, orchestrator.Lease{Group: g, Owner: m.node, Epoch: epoch})
			})
		}
	}
	err := calls.Wait()
	if err == nil {
		err = m.store.Leave(ctx, m.node)
	}
	if err != nil {
		m.logger.WarnContext(ctx, "not all leases were released; the others take them when they run out", slog.Any("error", err))
	}
}
