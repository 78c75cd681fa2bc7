package server

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/metric"
)

const (
	// metricGroups counts the lease groups that this replica holds. All replicas together hold orchestrator.Groups; nobody works on groups that no
	// replica holds.
	metricGroups = "quorate.lease.groups"
	// metricCallsInLine counts the calls over gRPC that wait because an agent, or a proxy in front of it, takes no more at a time.
	metricCallsInLine = "quorate.agent_calls.in_line"
)

// observe has a gauge show what read returns.
func observe(m metric.Meter, name, text string, read func() int) error {
	_, err := m.Int64ObservableGauge(name, metric.WithDescription(text),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(read()))
			return nil
		}))
	if err != nil {
		return fmt.Errorf("metric %s: %w", name, err)
	}
	return nil
}
