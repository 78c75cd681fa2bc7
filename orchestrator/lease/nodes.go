package lease

import (
	"context"
	"log/slog"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

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
		last := m.seen[n.ID]
		if last.beats != n.Beats {
			last = heartbeat{beats: n.Beats, at: now}
		}
		listed[n.ID] = last
		switch silent := now.Sub(last.at); {
		case silent < m.duration:
			alive[n.ID] = true
		case silent > 10*m.duration:
			m.forget(ctx, n.ID)
		}
	}
	m.deleteStaleNodes(ctx, listed, now)
	m.seen = listed
	return alive, nil
}

// deleteStaleNodes deletes messages to nodes that have left, once all others know that too. It adds the nodes for which that is too early, or fails, to listed.
func (m *Manager) deleteStaleNodes(ctx context.Context, listed map[string]heartbeat, now time.Time) {
	for node, last := range m.seen {
		if _, here := listed[node]; here {
			continue
		}
		if !last.left {
			last = heartbeat{at: now, left: true}
		}
		if now.Sub(last.at) < m.duration || !m.forget(ctx, node) {
			listed[node] = last
		}
	}
}

// forget deletes what is left of a node. Where that fails, the next round tries it again: it must not cost this one its leases.
func (m *Manager) forget(ctx context.Context, node string) (done bool) {
	err := m.store.Leave(ctx, node)
	if err == nil {
		m.unforgotten = 0
		return true
	}
	if m.unforgotten++; fault.Logged(m.unforgotten) {
		m.logger.WarnContext(ctx, "what is left of a replica that is gone could not be deleted", slog.String("replica", node), slog.Int("times", m.unforgotten), slog.Any("error", err))
	}
	return false
}
