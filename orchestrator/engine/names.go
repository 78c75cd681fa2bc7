package engine

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/quorate/quorate/orchestrator"
)

// Names of attributes and metrics.
const (
	attrAgent = "gen_ai.agent.name"
	attrTask  = "quorate.task.id"

	metricAccepted = "quorate.tasks.accepted"
	metricEnded    = "quorate.tasks.ended"
	metricDuration = "quorate.task.duration"
	metricGates    = "quorate.gate.checks"
)

// meters counts what the engine does. Labels have few values, no task ids and no agent names, so that those of each task need not be made anew.
type meters struct {
	accepted, endings, gates metric.Int64Counter
	duration                 metric.Float64Histogram
	carries                  map[bool]metric.MeasurementOption
	ended                    map[a2apb.TaskState]metric.MeasurementOption
}

func newMeters(m metric.Meter) (meters, error) {
	x := meters{carries: make(map[bool]metric.MeasurementOption), ended: make(map[a2apb.TaskState]metric.MeasurementOption)}
	for _, carries := range []bool{false, true} {
		x.carries[carries] = label(attribute.Bool("consultation", carries))
	}
	for state := range a2apb.TaskState_name {
		s := a2apb.TaskState(state)
		x.ended[s] = label(attribute.String("state", s.String()))
	}
	var err error
	counter := func(name, text string) metric.Int64Counter {
		c, cerr := m.Int64Counter(name, metric.WithDescription(text))
		if cerr != nil {
			err = fmt.Errorf("metric %s: %w", name, cerr)
		}
		return c
	}
	x.accepted = counter(metricAccepted, "Tasks accepted.")
	x.endings = counter(metricEnded, "Tasks ended, by state.")
	x.gates = counter(metricGates, "Gate checks, by phase and result.")
	if err != nil {
		return x, err
	}
	x.duration, err = m.Float64Histogram(metricDuration, metric.WithUnit("s"), metric.WithDescription("Time from acceptance to the end of a task."),
		metric.WithExplicitBucketBoundaries(0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800, 3600, 21600, 86400)) //nolint:mnd // from a tool's answer to a person's
	if err != nil {
		return x, fmt.Errorf("metric %s: %w", metricDuration, err)
	}
	return x, nil
}

func label(l attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(l))
}

func (m *meters) accept(ctx context.Context, t *orchestrator.Task) {
	m.accepted.Add(ctx, 1, m.carries[t.Carries()])
}

func (m *meters) end(ctx context.Context, t *orchestrator.Task) {
	state := m.ended[t.State]
	m.endings.Add(ctx, 1, state)
	m.duration.Record(ctx, t.UpdateTime.Sub(t.CreateTime).Seconds(), state)
}

func (m *meters) gate(ctx context.Context, g orchestrator.Gate) {
	m.gates.Add(ctx, 1, metric.WithAttributes(attribute.String("phase", string(g.Phase)), attribute.Bool("allowed", g.Allowed)))
}

func taskAttr(t *orchestrator.Task) slog.Attr { return slog.String("task", t.ID) }

func errAttr(err error) slog.Attr { return slog.Any("error", err) }
