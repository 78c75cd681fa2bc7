// Package telemetry sets up logs, traces and metrics for one process.
//
// Nothing global changes unless LogErrors or CaptureGRPC is called, so that several services can share a process. Spans that can be
// evidence of a consultation are recorded whatever the sampling ratio is.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	promexporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// Config is the configuration for Setup. The zero value discards logs and samples no ordinary spans.
type Config struct {
	ServiceName    string
	ServiceVersion string
	LogLevel       string    // debug, info, warn or error; empty is info
	LogFormat      string    // json or text; empty is json
	LogWriter      io.Writer // nil discards
	TraceRatio     float64   // share of ordinary traces that are recorded, 0 to 1
	OTLPEndpoint   string    // URL of an OTLP/gRPC receiver for spans, such as http://localhost:4317; empty for none
}

// Validate returns an InvalidArgument fault with the reason CONFIG_INVALID, which names the field, for a value that Setup cannot apply.
func (c *Config) Validate() error {
	if _, err := c.level(); err != nil {
		return err
	}
	if c.LogFormat != "" && c.LogFormat != formatJSON && c.LogFormat != formatText {
		return fault.Invalid("logFormat", "CONFIG_INVALID", "log format %q is not json or text", c.LogFormat)
	}
	if !(c.TraceRatio >= 0 && c.TraceRatio <= 1) { // NaN is neither less than 0 nor more than 1
		return fault.Invalid("traceRatio", "CONFIG_INVALID", "trace ratio %v is not from 0 to 1", c.TraceRatio)
	}
	if c.OTLPEndpoint != "" && !isEndpoint(c.OTLPEndpoint) { // the error does not repeat what may hold a password
		return fault.Invalid("otlpEndpoint", "CONFIG_INVALID", "want the http or https URL of a gRPC port, such as http://localhost:4317, without user, path and query")
	}
	return nil
}

// isEndpoint reports whether text is a URL of which the exporter uses everything: over gRPC it asks for no path.
func isEndpoint(text string) bool {
	u, err := url.Parse(text)
	return err == nil && netguard.IsEndpoint(text) && strings.Trim(u.Path, "/") == ""
}

// Telemetry is the outcome of Setup.
type Telemetry struct {
	Logger         *slog.Logger         // adds the trace and span id of the context to each record
	TracerProvider trace.TracerProvider // records nothing without a receiver, but still propagates traces
	MeterProvider  *metric.MeterProvider
	MetricsHandler http.Handler // serves the metrics of this Telemetry in the Prometheus format, up to a second old
	Propagator     propagation.TextMapPropagator

	flush func(context.Context) error // sends buffered spans; nil without a receiver
}

// Setup returns telemetry for c; a wrong value in c is an error. The OTLP receiver need not be up.
func Setup(ctx context.Context, c Config) (*Telemetry, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	service := resource.NewSchemaless(attribute.String(serviceNameKey, c.ServiceName), attribute.String(serviceVersionKey, c.ServiceVersion))
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reader, err := promexporter.New(promexporter.WithRegisterer(registry))
	if err != nil {
		return nil, fmt.Errorf("setting up metrics: %w", err)
	}
	t := &Telemetry{
		Logger:         c.logger(),
		TracerProvider: unheard{sampler: newSampler(c.TraceRatio)},
		MeterProvider: metric.NewMeterProvider(metric.WithResource(service), metric.WithReader(reader),
			metric.WithExemplarFilter(exemplar.AlwaysOffFilter)), // the handler's format has no exemplars
		MetricsHandler: promhttp.HandlerFor(prometheus.GathererFunc(shared(metricsFor, registry.Gather)),
			promhttp.HandlerOpts{DisableCompression: true}), // which would take a megabyte of memory for each reader
		Propagator: propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}),
	}
	if c.OTLPEndpoint != "" {
		exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(c.OTLPEndpoint))
		if err != nil {
			return nil, fmt.Errorf("setting up the span exporter: %w", err)
		}
		process, err := identity(ctx, service)
		if err != nil {
			return nil, err
		}
		recording := sdktrace.NewTracerProvider(sdktrace.WithResource(process), sdktrace.WithSampler(newSampler(c.TraceRatio)), sdktrace.WithBatcher(sendable{exporter}))
		t.TracerProvider, t.flush = recording, recording.Shutdown
	}
	return t, nil
}

// identity returns what spans say of the process that they come from. Its service.instance.id, which tells replicas apart, and attributes of its own are up
// to OTEL_RESOURCE_ATTRIBUTES; the SDK reports what it cannot read there.
func identity(ctx context.Context, service *resource.Resource) (*resource.Resource, error) {
	process, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithService(), resource.WithFromEnv(), resource.WithAttributes(service.Attributes()...))
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("naming the process to the receiver of spans: %w", err)
	}
	return process, nil
}

// Reach sends the OTLP receiver of c an empty list of spans, and returns an error if it is not accepted.
func (c *Config) Reach(ctx context.Context) error {
	client := otlptracegrpc.NewClient(otlptracegrpc.WithEndpointURL(c.OTLPEndpoint), otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{}))
	if err := client.Start(ctx); err != nil {
		return fmt.Errorf("setting up the span exporter: %w", err)
	}
	return errors.Join(client.UploadTraces(ctx, nil), client.Stop(ctx))
}

// Shutdown sends the buffered spans, for as long as ctx allows.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	var err error
	if t.flush != nil {
		err = t.flush(ctx)
	}
	return errors.Join(err, t.MeterProvider.Shutdown(ctx))
}
