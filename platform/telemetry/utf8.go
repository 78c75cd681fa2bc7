package telemetry

import (
	"context"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// utf8Exporter replaces what is not UTF-8 in spans. A path or a User-Agent may have any bytes, protobuf refuses them, and with one such span all spans that
// are sent together would be lost: anybody could keep them from the receiver.
type utf8Exporter struct{ sdktrace.SpanExporter }

// ExportSpans sends the spans.
func (e utf8Exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	valid := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		valid[i] = utf8Span{span}
	}
	return e.SpanExporter.ExportSpans(ctx, valid)
}

type utf8Span struct{ sdktrace.ReadOnlySpan }

// Attributes returns the attributes of the span.
func (s utf8Span) Attributes() []attribute.KeyValue {
	return validAttributes(s.ReadOnlySpan.Attributes())
}

// Events returns the events of the span, such as a panic.
func (s utf8Span) Events() []sdktrace.Event {
	events := slices.Clone(s.ReadOnlySpan.Events())
	for i := range events {
		events[i].Attributes = validAttributes(events[i].Attributes)
	}
	return events
}

// Status returns the status of the span, whose description may repeat what a caller sent.
func (s utf8Span) Status() sdktrace.Status {
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

func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
