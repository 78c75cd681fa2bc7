package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/admission"
)

// Names of attributes and metrics.
const (
	attrAgent     = "gen_ai.agent.name"
	attrError     = "error.type"
	attrOperation = "gen_ai.operation.name"
	attrTask      = "quorate.task.id"

	metricAccepted = "quorate.tasks.accepted"
	metricEnded    = "quorate.tasks.ended"
	metricDuration = "quorate.task.duration"
	metricGates    = "quorate.gate.checks"
	metricVerdicts = "quorate.consultation.verdicts"
	metricRoutes   = "quorate.route.duration"

	metricExchanges = "quorate.exchanges"
	metricInLine    = "quorate.tasks.in_line"
)

// meters holds the engine's metrics. Their labels have few values, no task ids and no agent names, so that the attribute sets can be built once.
type meters struct {
	accepted, endings, gates, verdicts metric.Int64Counter
	duration, routes                   metric.Float64Histogram
	carries                            map[bool]metric.MeasurementOption
	ended                              map[a2apb.TaskState]metric.MeasurementOption
	routed                             map[string]metric.MeasurementOption
}

func newMeters(m metric.Meter) (meters, error) {
	x := meters{
		carries: make(map[bool]metric.MeasurementOption), ended: make(map[a2apb.TaskState]metric.MeasurementOption), routed: make(map[string]metric.MeasurementOption),
	}
	for _, carries := range []bool{false, true} {
		x.carries[carries] = label(attribute.Bool("consultation", carries))
	}
	for state := range a2apb.TaskState_name {
		s := a2apb.TaskState(state)
		x.ended[s] = label(attribute.String("state", s.String()))
	}
	for _, result := range []string{routeChosen, routeTogether, routeRefused, routeFailed} {
		x.routed[result] = label(attribute.String("result", result))
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
	x.verdicts = counter(metricVerdicts, "Verdicts on requirements that apply, once for each that a task's gate came to.")
	histogram := func(name, text string, buckets ...float64) metric.Float64Histogram {
		h, herr := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(text), metric.WithExplicitBucketBoundaries(buckets...))
		if herr != nil {
			err = fmt.Errorf("metric %s: %w", name, herr)
		}
		return h
	}
	x.duration = histogram(metricDuration, "Time from acceptance to the end of a task.",
		0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800, 3600, 21600, 86400) //nolint:mnd // from a tool's answer to a person's
	x.routes = histogram(metricRoutes, "Time that decisions on routes took, by result.",
		0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5) //nolint:mnd // from a name looked up to an endpoint asked
	return x, err
}

// observe reports how many tasks are with agents, and how many wait for that.
func (*meters) observe(m metric.Meter, r *admission.FairLimiter) error {
	gauge := func(name, text string, read func() int) error {
		_, err := m.Int64ObservableGauge(name, metric.WithDescription(text), metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(read()))
			return nil
		}))
		if err != nil {
			return fmt.Errorf("metric %s: %w", name, err)
		}
		return nil
	}
	return errors.Join(
		gauge(metricExchanges, "Tasks that are with agents.", func() int { in, _ := r.Counts(); return in }),
		gauge(metricInLine, "Tasks that wait for room with their agent.", func() int { _, queued := r.Counts(); return queued }),
	)
}

func label(l attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(l))
}

func (m *meters) accept(ctx context.Context, t *orchestrator.Task) {
	m.accepted.Add(ctx, 1, m.carries[t.CarriesConsultation()])
}

func (m *meters) end(ctx context.Context, t *orchestrator.Task) {
	state := m.ended[t.State]
	m.endings.Add(ctx, 1, state)
	m.duration.Record(ctx, t.UpdateTime.Sub(t.CreateTime).Seconds(), state)
}

func (m *meters) gate(ctx context.Context, g orchestrator.Gate) {
	m.gates.Add(ctx, 1, metric.WithAttributes(attribute.String("phase", string(g.Phase)), attribute.Bool("allowed", g.Allowed)))
}

// verdict counts the result of a gate, not how often it was checked.
func (m *meters) verdict(ctx context.Context, g orchestrator.Gate) {
	for _, r := range g.Requirements {
		if r.Applies {
			m.verdicts.Add(ctx, 1, metric.WithAttributes(attribute.String("phase", string(g.Phase)), attribute.String("verdict", r.Verdict)))
		}
	}
}

// Results of decisions on routes.
const (
	routeChosen   = "chosen"
	routeTogether = "together" // several agents were chosen: a chain or a fan-out
	routeRefused  = "refused"
	routeFailed   = "failed"
)

func (m *meters) route(ctx context.Context, took time.Duration, d *orchestrator.Decision, err error) {
	result := routeChosen
	switch {
	case d.Refused != "":
		result = routeRefused
	case err != nil:
		result = routeFailed
	case d.Together():
		result = routeTogether
	}
	m.routes.Record(ctx, took.Seconds(), m.routed[result])
}

func taskAttr(t *orchestrator.Task) slog.Attr { return taskIDAttr(t.ID) }

func taskIDAttr(id string) slog.Attr { return slog.String("task_id", id) }

func errAttr(err error) slog.Attr { return slog.Any("error", err) }
