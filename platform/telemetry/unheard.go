package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
)

// unheard makes spans that nobody receives. They have ids, for logs and for the calls that are made, and pass on whether the trace is sampled: agents
// decide by that whether they record what may be evidence. They take nothing in, which is what recording costs.
type unheard struct {
	embedded.TracerProvider

	sampler sdktrace.Sampler
}

var _ trace.TracerProvider = unheard{}

// Tracer returns the same for all.
func (u unheard) Tracer(string, ...trace.TracerOption) trace.Tracer {
	return unheardTracer{sampler: u.sampler}
}

type unheardTracer struct {
	embedded.Tracer

	sampler sdktrace.Sampler
}

// Start returns a span of the context's trace, or of a new one.
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
