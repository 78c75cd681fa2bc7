package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
)

// unheard makes spans for a process without a receiver. They have ids, for logs and outgoing calls, and propagate whether the trace is sampled, by which
// agents decide whether to record spans that may be evidence. They record nothing, which saves the cost of recording.
type unheard struct {
	embedded.TracerProvider

	sampler sdktrace.Sampler
}

var _ trace.TracerProvider = unheard{}

// Tracer returns a tracer, the same for all names.
func (u unheard) Tracer(string, ...trace.TracerOption) trace.Tracer {
	return unheardTracer{sampler: u.sampler}
}

type unheardTracer struct {
	embedded.Tracer

	sampler sdktrace.Sampler
}

// Start returns a span in the context's trace, or in a new one.
func (u unheardTracer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	config := trace.NewSpanStartConfig(options...)
	if config.NewRoot() {
		ctx = trace.ContextWithSpanContext(ctx, trace.SpanContext{})
	}
	span := trace.SpanContextConfig{TraceID: trace.SpanContextFromContext(ctx).TraceID()}
	for !span.TraceID.IsValid() {
		binary.NativeEndian.PutUint64(span.TraceID[:8], rand.Uint64()) //nolint:gosec // names, no secrets
		binary.NativeEndian.PutUint64(span.TraceID[8:], rand.Uint64()) //nolint:gosec // names, no secrets
	}
	for !span.SpanID.IsValid() {
		binary.NativeEndian.PutUint64(span.SpanID[:], rand.Uint64()) //nolint:gosec // names, no secrets
	}
	sampled := u.sampler.ShouldSample(sdktrace.SamplingParameters{ParentContext: ctx, TraceID: span.TraceID, Name: name, Kind: config.SpanKind()})
	span.TraceState = sampled.Tracestate
	span.TraceFlags = trace.SpanContextFromContext(ctx).TraceFlags().WithSampled(sampled.Decision == sdktrace.RecordAndSample)
	ctx = trace.ContextWithSpanContext(ctx, trace.NewSpanContext(span))
	return ctx, trace.SpanFromContext(ctx)
}
