package engine

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

const operationInvoke = "invoke_agent"

// tracerOf returns what makes the spans of exchanges with the task's agent. Quorate records them if it recorded the call that submitted the task, or if the
// task carries a consultation.
func (e *Engine) tracerOf(t *orchestrator.Task) trace.Tracer {
	if t.Traced || t.CarriesConsultation() {
		return e.Tracer
	}
	return noop.Tracer{}
}

// describeExchange names the span of an exchange with the task's agent as the conventions for generative AI do.
func describeExchange(t *orchestrator.Task) (name string, kind, attributes trace.SpanStartOption) {
	return operationInvoke + " " + t.Agent, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String(attrOperation, operationInvoke), attribute.String(attrAgent, t.Agent), attribute.String(attrTask, t.ID))
}

// markFailed says in the span of an exchange what it came to, if that is an error.
func markFailed(span trace.Span, err error) {
	if err == nil || !span.IsRecording() {
		return
	}
	f := fault.From(err)
	span.SetAttributes(attribute.String(attrError, f.Reason))
	span.SetStatus(codes.Error, f.Message)
}

// underTrace returns ctx with the task's own trace as the parent of what follows. Agents are told in any case that it is recorded: they may be asked for
// evidence, and SDKs decide by that whether they record spans of their own.
func underTrace(ctx context.Context, t *orchestrator.Task, recorded bool) context.Context {
	traceID, err1 := trace.TraceIDFromHex(t.TraceID)
	spanID, err2 := trace.SpanIDFromHex(t.SpanID)
	if err1 != nil || err2 != nil {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: traceID, SpanID: spanID, TraceFlags: trace.TraceFlags(0).WithSampled(recorded), Remote: true,
	}))
}
