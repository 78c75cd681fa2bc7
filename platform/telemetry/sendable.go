package telemetry

import (
	"context"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/platform/bounded"
)

// Limits on what a span has of others. 512 spans are sent together, and a receiver takes up to 4 MiB, by the default of gRPC.
const (
	maxText       = 1 << 10 // bytes of a text, of which a request has at most five in its span: host, method, path, client and User-Agent
	maxTraceState = 512     // bytes, which is what everybody should pass on (W3C Trace Context, tracestate limits)
)

// sendable makes spans such that their receiver takes them. A path or a User-Agent may be long and have any bytes, but protobuf refuses what is not UTF-8, and gRPC
// what is too large. With such a span all spans that are sent together would be lost: anybody could keep them from the receiver.
type sendable struct{ sdktrace.SpanExporter }

// ExportSpans sends the spans.
func (e sendable) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	valid := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		valid[i] = sendableSpan{span}
	}
	return e.SpanExporter.ExportSpans(ctx, valid)
}

type sendableSpan struct{ sdktrace.ReadOnlySpan }

// SpanContext returns the identity of the span.
func (s sendableSpan) SpanContext() trace.SpanContext {
	c := s.ReadOnlySpan.SpanContext()
	if len(c.TraceState().String()) > maxTraceState {
		return c.WithTraceState(trace.TraceState{})
	}
	return c
}

// Attributes returns the attributes of the span.
func (s sendableSpan) Attributes() []attribute.KeyValue {
	return validAttributes(s.ReadOnlySpan.Attributes())
}

// Events returns the events of the span, such as a panic.
func (s sendableSpan) Events() []sdktrace.Event {
	events := slices.Clone(s.ReadOnlySpan.Events())
	for i := range events {
		events[i].Attributes = validAttributes(events[i].Attributes)
	}
	return events
}

// Status returns the status of the span, whose description may repeat what a caller sent.
func (s sendableSpan) Status() sdktrace.Status {
	status := s.ReadOnlySpan.Status()
	status.Description = validText(status.Description)
	return status
}

func validAttributes(list []attribute.KeyValue) []attribute.KeyValue {
	list = slices.Clone(list)
	for i, a := range list {
		if a.Value.Type() == attribute.STRING {
			list[i].Value = attribute.StringValue(validText(a.Value.AsString()))
		}
	}
	return list
}

func validText(text string) string {
	return bounded.Text(strings.ToValidUTF8(text, "\uFFFD"), maxText)
}
