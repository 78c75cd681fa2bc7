package lease

import (
	"context"
	"time"
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
