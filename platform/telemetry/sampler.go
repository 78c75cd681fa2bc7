package telemetry

import (
	"strings"

	"go.opentelemetry.io/otel/sdk/trace"
	apitrace "go.opentelemetry.io/otel/trace"
)

// newSampler returns a sampler that follows the caller's decision or, without one, the ratio. It always records
// consultation spans: an approval that is sampled out would block a task that was approved.
func newSampler(ratio float64) trace.Sampler {
	return sampler{trace.ParentBased(trace.TraceIDRatioBased(ratio))}
}

type sampler struct{ trace.Sampler }

// ShouldSample records every consultation span and leaves the others to the base sampler.
func (s sampler) ShouldSample(p trace.SamplingParameters) trace.SamplingResult {
	if strings.HasPrefix(p.Name, ConsultationSpanPrefix) {
		state := apitrace.SpanContextFromContext(p.ParentContext).TraceState()
		return trace.SamplingResult{Decision: trace.RecordAndSample, Tracestate: state}
	}
	return s.Sampler.ShouldSample(p)
}

// Description names the sampler for diagnostics.
func (s sampler) Description() string {
	return "Always(" + ConsultationSpanPrefix + "*) or " + s.Sampler.Description()
}
