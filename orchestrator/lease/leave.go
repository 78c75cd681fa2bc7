package lease

import (
	"context"
	"log/slog"

	"github.com/quorate/quorate/orchestrator"
)

// hasLeft is the message of a replica that has left, so that the others take its groups at once. It is the key of no task.
var hasLeft = orchestrator.Key{}

// leave lets the others take all groups, so that they need not wait for the leases to expire, and tells them. Where that fails, they expire.
func (m *Manager) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, m.duration/2)
	defer cancel()
	m.mu.Lock()
	m.held = [orchestrator.Groups]uint64{}
	m.mu.Unlock()
	if err := m.store.Leave(ctx, m.node); err != nil {
		m.logger.WarnContext(ctx, "this replica could not leave; the others take its leases when they run out", slog.Any("error", err))
		return
	}
	if err := m.tellOthers(ctx); err != nil {
		m.logger.DebugContext(ctx, "not all others were told that this replica has left; their next round shows them", slog.Any("error", err))
	}
}

// tellOthers tells all other replicas that this one has left.
func (m *Manager) tellOthers(ctx context.Context) error {
	nodes, err := m.store.Nodes(ctx)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := m.store.Post(ctx, n.ID, hasLeft); err != nil {
			return err
		}
	}
	return nil
}
