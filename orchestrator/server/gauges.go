package server

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/metric"

	"github.com/quorate/quorate/orchestrator/lease"
)

// metricGroups counts the lease groups that this replica holds. All replicas together hold orchestrator.Groups; nobody works on groups that no
// replica holds.
const metricGroups = "quorate.lease.groups"

func observeLeases(m metric.Meter, leases *lease.Manager) error {
	_, err := m.Int64ObservableGauge(metricGroups, metric.WithDescription("Groups of tasks that this replica works on."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(leases.Held()))
			return nil
		}))
	if err != nil {
		return fmt.Errorf("metric %s: %w", metricGroups, err)
	}
	return nil
}
