package webfetch

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
)

// Names of spans, metrics and their attributes.
const (
	scope        = "github.com/quorate/quorate/agents/webfetch"
	spanName     = "webfetch.fetch"
	fetchSeconds = "webfetch.fetch.duration"
	fetchBytes   = "webfetch.fetch.body.size"

	attrURL     = attribute.Key("url.full")
	attrOutcome = attribute.Key("webfetch.outcome")
	attrEngine  = attribute.Key("webfetch.engine")
	attrFormat  = attribute.Key("webfetch.format")
	attrCache   = attribute.Key("webfetch.cache")
	attrStatus  = attribute.Key("http.response.status_code")
)

// observer records one log line, one span and two metrics for each fetch.
type observer struct {
	logger  *slog.Logger
	tracer  trace.Tracer
	seconds metric.Float64Histogram
	bytes   metric.Int64Histogram
}

func newObserver(o Options) (*observer, error) {
	if o.Tracer == nil {
		o.Tracer = otel.GetTracerProvider()
	}
	if o.Meter == nil {
		o.Meter = otel.GetMeterProvider()
	}
	meter := o.Meter.Meter(scope)
	seconds, err := meter.Float64Histogram(fetchSeconds, metric.WithUnit("s"), metric.WithDescription("How long fetches took, by outcome."),
		metric.WithExplicitBucketBoundaries(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, MaxTimeout.Seconds())) //nolint:mnd // from a page in the cache to a slow one in the browser
	if err != nil {
		return nil, fmt.Errorf("make the metric %s: %w", fetchSeconds, err)
	}
	bytes, err := meter.Int64Histogram(fetchBytes, metric.WithUnit("By"), metric.WithDescription("How long the bodies of fetched pages were."),
		metric.WithExplicitBucketBoundaries(1<<10, 4<<10, 16<<10, 64<<10, 256<<10, 1<<20, 4<<20, 16<<20, MaxMaxSize))
	if err != nil {
		return nil, fmt.Errorf("make the metric %s: %w", fetchBytes, err)
	}
	return &observer{cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), o.Tracer.Tracer(scope), seconds, bytes}, nil
}

func (o *observer) end(ctx context.Context, span trace.Span, p plan, page *Page, err error) {
	outcome := "fetched"
	if err != nil {
		outcome = string(CodeOf(err))
		span.SetStatus(otelcodes.Error, outcome)
	}
	span.SetAttributes(attrOutcome.String(outcome), attrEngine.String(string(p.engine)), attrFormat.String(string(page.Format)), attrCache.String(page.Cache), attrStatus.Int(page.StatusCode))
	labels := metric.WithAttributes(attrOutcome.String(outcome), attrEngine.String(string(p.engine)))
	o.seconds.Record(ctx, page.Duration.Seconds(), labels)
	o.bytes.Record(ctx, page.ContentLength, labels)
	attrs := []slog.Attr{
		slog.String("url", redactText(page.RequestedURL)), slog.String("outcome", outcome), slog.Int("status_code", page.StatusCode),
		slog.Int64("content_length", page.ContentLength), slog.String("cache", page.Cache), slog.Duration("duration", page.Duration),
	}
	if cause := fault.From(err); cause != nil && cause.Cause != nil {
		attrs = append(attrs, slog.String("cause", printable(cause.Cause.Error())))
	}
	o.logger.LogAttrs(ctx, slog.LevelInfo, "page fetch", attrs...)
}

func redactText(raw string) string {
	u, err := extract.ParseURL(strings.TrimSpace(raw))
	if err != nil {
		return "[not a URL]"
	}
	return Redact(u)
}
