package lease

import (
	"context"
	"log/slog"

	"github.com/quorate/quorate/orchestrator"
)

// maxRaise is by how much a round raises an epoch at most.
const maxRaise = 1000

// Written tells under which epoch a task of a shard was written, when that is above the epoch of this replica's lease. Usually another replica has
// taken the lease, and this one learns it with the next round. If it has not, the leases are older than the tasks, as when only the tasks were
// restored. Then nobody could ever work on the task, so Run raises the epoch of the lease.
func (m *Manager) Written(shard int, epoch uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	group := orchestrator.GroupOf(shard)
	m.written[group] = max(m.written[group], epoch)
}

// raise raises the leases of this replica that are older than tasks, in the store and in v.
func (m *Manager) raise(ctx context.Context, w Worker, v []orchestrator.Lease) {
	m.mu.Lock()
	written := m.written
	m.mu.Unlock()
	var old []orchestrator.Lease
	for g, l := range v {
		if l.Owner == m.node && l.Epoch < written[g] {
			old = append(old, l)
		}
	}
	inParallel(old, func(l orchestrator.Lease) { v[l.Group] = m.raiseTo(ctx, w, l, written[l.Group]) })
}

// raiseTo takes a lease again and again, until it has the epoch, and returns what it is then. After an error the next round sees how things stand.
func (m *Manager) raiseTo(ctx context.Context, w Worker, l orchestrator.Lease, epoch uint64) orchestrator.Lease {
	m.logger.WarnContext(ctx, "a lease is older than the tasks, as when only some tables were restored; its epoch is raised",
		slog.Int("group", l.Group), slog.Uint64("epoch", l.Epoch), slog.Uint64("task_epoch", epoch))
	for range min(epoch-l.Epoch, maxRaise) {
		next, err := m.store.Take(ctx, l.Group, m.node, l.Epoch)
		if err != nil {
			m.logger.DebugContext(ctx, "a lease was not raised", slog.Int("group", l.Group), slog.Any("error", err))
			break
		}
		l = next
	}
	m.mu.Lock()
	m.held[l.Group] = l.Epoch
	m.mu.Unlock()
	w.Gained(l.Group)
	return l
}
