package server

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/quorate/quorate/consultation"
)

const metricLookups = "quorate.backend.lookup.duration"

// observedTraces measures each query of a trace backend.
type observedTraces struct {
	consultation.Traces

	seconds metric.Float64Histogram
}

// observed wraps trace backends. The list may be empty.
func observed(list []consultation.Traces, m metric.Meter) ([]consultation.Traces, error) {
	seconds, err := m.Float64Histogram(metricLookups, metric.WithUnit("s"), metric.WithDescription("Time that looks for evidence in trace backends took."),
		metric.WithExplicitBucketBoundaries(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60)) //nolint:mnd // from memory to a query of logs
	if err != nil {
		return nil, fmt.Errorf("metric %s: %w", metricLookups, err)
	}
	var all []consultation.Traces
	for _, t := range list {
		all = append(all, observedTraces{t, seconds})
	}
	return all, nil
}

// Verdicts implements consultation.Traces.
func (o observedTraces) Verdicts(ctx context.Context, c consultation.Consultation) ([]consultation.Claim, error) {
	begin := time.Now()
	claims, err := o.Traces.Verdicts(ctx, c)
	result := "none"
	switch {
	case err != nil:
		result = "unavailable"
	case len(claims) > 0:
		result = "found"
	}
	o.seconds.Record(ctx, time.Since(begin).Seconds(), metric.WithAttributes(attribute.String("backend", o.Name()), attribute.String("result", result)))
	return claims, err
}
