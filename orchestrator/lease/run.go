package lease

import (
	"context"
	"log/slog"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// Run takes leases, keeps them and passes on messages until ctx ends; then the others may take everything. The worker must have ended its work by then.
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
			m.leave(context.WithoutCancel(ctx))
			return
		case <-beat.C:
			m.runRound(ctx, w)
		case <-collect.C:
			if m.deliverMessages(ctx, w) {
				m.runRound(ctx, w)
			}
		}
	}
}

// runRound does one round: it sends a sign of life, reads those of the others and who holds what, and takes and releases groups accordingly. Only a
// complete round extends the time for which held groups may be worked on.
func (m *Manager) runRound(running context.Context, w Worker) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(running, m.duration/2)
	defer cancel()
	v, alive, err := m.renew(ctx)
	if err != nil {
		if m.unrenewed++; fault.Logged(m.unrenewed) && running.Err() == nil { // a store that hangs uses up the time of the round
			m.logger.ErrorContext(ctx, "the leases could not be renewed; work stops when they run out", slog.Int("times", m.unrenewed), slog.Any("error", err))
		}
		m.dropExpired(ctx, w)
		return
	}
	m.unrenewed = 0
	m.reconcile(ctx, w, v)
	m.extend(w, start)
	m.raise(ctx, w, v)
	m.balance(ctx, w, v, alive)
}

// renew sends a sign of life, and returns the lease of every group and which nodes are alive.
func (m *Manager) renew(ctx context.Context) (v []orchestrator.Lease, alive map[string]bool, err error) {
	m.beat++
	if err := m.store.Beat(ctx, orchestrator.Node{ID: m.node, Beats: m.beat}); err != nil {
		return nil, nil, err
	}
	if alive, err = m.liveNodes(ctx); err != nil {
		return nil, nil, err
	}
	leases, err := m.store.Leases(ctx)
	return allGroups(leases), alive, err
}

// extend lets the held groups be worked on for a lease from start, less a margin. If they could not be for a while, as after the process was paused, they count
// as gained once more: what came up meanwhile was not begun, and nobody else was told of it.
func (m *Manager) extend(w Worker, start time.Time) {
	m.mu.Lock()
	lapsed := m.lapsed()
	m.until = start.Add(m.duration - m.duration/beats)
	held := m.held
	m.mu.Unlock()
	for g, epoch := range held {
		if lapsed && epoch > 0 {
			w.Gained(g)
		}
	}
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

// dropExpired drops everything once the leases may have expired.
func (m *Manager) dropExpired(ctx context.Context, w Worker) {
	m.mu.Lock()
	if !m.lapsed() {
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

// deliverMessages hands messages of other replicas to the worker, in less time than held groups may be worked on without a sign of life. It reports
// whether a replica has left.
func (m *Manager) deliverMessages(running context.Context, w Worker) (left bool) {
	const limit = 200
	ctx, cancel := context.WithTimeout(running, m.duration/2)
	defer cancel()
	keys, err := m.store.Collect(ctx, m.node, limit)
	if err == nil {
		m.uncollected = 0
	} else if m.uncollected++; fault.Logged(m.uncollected) && running.Err() == nil {
		m.logger.WarnContext(ctx, "word of other replicas could not be read; trying again", slog.Int("times", m.uncollected), slog.Any("error", err))
	}
	for _, k := range keys {
		if k == hasLeft {
			left = true
			continue
		}
		w.Look(ctx, k)
	}
	return left
}
