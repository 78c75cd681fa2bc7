package kit

import (
	"context"
	"log/slog"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

const (
	scope        = "github.com/quorate/quorate/agents/kit"
	taskSpan     = "SendMessage"
	rootRatio    = 0.01 // share of traces that are recorded if the caller has not decided
	flushTimeout = time.Second
)

// identity returns the resource of the agent's spans. Quorate accepts a verdict only under the agent's own name.
func identity(c Config) *resource.Resource {
	return resource.NewSchemaless(attribute.String("service.name", c.Name), attribute.String("service.version", c.Version))
}

// startTracing exports ordinary spans in batches to Quorate, if there is a server, until stop is called.
func (a *Agent) startTracing(ctx context.Context) (stop func(), err error) {
	if a.verdicts == nil {
		return func() {}, nil
	}
	if err := a.verdicts.exporter.Start(ctx); err != nil {
		return nil, err
	}
	batch := newExporter(a.config, a.web)
	if err := batch.Start(ctx); err != nil {
		return nil, err
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithResource(identity(a.config)),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(rootRatio))),
		sdktrace.WithBatcher(loggingExporter{batch, a.config.Logger}),
	)
	a.tracer = provider.Tracer(scope)
	return func() {
		flushCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		if err := provider.Shutdown(flushCtx); err != nil {
			a.config.Logger.DebugContext(flushCtx, "spans were lost", slog.Any("error", err))
		}
	}, nil
}

// loggingExporter logs export errors. The batch processor would pass them to OpenTelemetry's global handler, which prints to standard error; and when all of
// Quorate stops, its receiver often stops first.
type loggingExporter struct {
	sdktrace.SpanExporter
	logger *slog.Logger
}

// ExportSpans exports ordinary spans. Nobody waits for them, so it returns no error.
func (q loggingExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := q.SpanExporter.ExportSpans(ctx, spans); err != nil {
		q.logger.DebugContext(ctx, "spans were lost", slog.Int("spans", len(spans)), slog.Any("error", err))
	}
	return nil
}

// withCallerTrace returns ctx with the trace context in the headers of the call, or else in the message's metadata.
func withCallerTrace(ctx context.Context, message *a2a.Message) context.Context {
	carrier := propagation.MapCarrier{}
	if header, ok := message.Metadata["traceparent"].(string); ok {
		carrier["traceparent"] = header
	}
	if call, ok := a2asrv.CallContextFrom(ctx); ok {
		if values, _ := call.ServiceParams().Get("traceparent"); len(values) > 0 {
			carrier["traceparent"] = values[0]
		}
	}
	return propagation.TraceContext{}.Extract(ctx, carrier)
}
