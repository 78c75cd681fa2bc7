package instrument

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/httpconv"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/platform/telemetry"
)

// scope is the instrumentation scope of the spans and metrics. It is the name of the package that serves, which is what is observed.
const scope = "quorate/rpcserver"

var (
	serverSpan = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}
	clientSpan = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindClient)}

	// durations are the histogram buckets of the semantic conventions, in seconds.
	durations = []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}
	// sizes are histogram buckets in bytes, up to the largest answer of the API. The SDK's own end at 10,000.
	sizes = []float64{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20}
)

func instruments(t *telemetry.Telemetry) (trace.Tracer, metric.Meter) {
	return t.TracerProvider.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL)), t.MeterProvider.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL))
}

// Requests records a span and three measurements for each HTTP request, by OpenTelemetry's semantic conventions and as otelhttp does.
type Requests struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	took       metric.Float64Histogram // seconds
	received   metric.Int64Histogram   // bytes of the body
	sent       metric.Int64Histogram   // bytes of the body
	series     *requestSeries
}

// NewRequests returns a recorder whose routes are the patterns of an http.ServeMux.
func NewRequests(t *telemetry.Telemetry) (*Requests, error) {
	tracer, meter := instruments(t)
	took, err := httpconv.NewServerRequestDuration(meter, metric.WithExplicitBucketBoundaries(durations...))
	if err != nil {
		return nil, fmt.Errorf("measuring requests: %w", err)
	}
	received, err := httpconv.NewServerRequestBodySize(meter, metric.WithExplicitBucketBoundaries(sizes...))
	if err != nil {
		return nil, fmt.Errorf("measuring requests: %w", err)
	}
	sent, err := httpconv.NewServerResponseBodySize(meter, metric.WithExplicitBucketBoundaries(sizes...))
	if err != nil {
		return nil, fmt.Errorf("measuring requests: %w", err)
	}
	return &Requests{
		tracer: tracer, propagator: t.Propagator,
		took: took.Inst(), received: received.Inst(), sent: sent.Inst(), series: newRequestSeries(),
	}, nil
}

// Answer is what is recorded of the answer to a request.
type Answer struct {
	Status int
	Bytes  int64 // of the body
}

// Observe has r answered by next. A request whose answer is cut off by a panic is not measured.
func (o *Requests) Observe(r *http.Request, next func(*http.Request) Answer) {
	begin := time.Now()
	ctx := o.propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := o.tracer.Start(ctx, spanName(r), serverSpan...)
	defer span.End() // and records a panic
	if span.IsRecording() {
		span.SetAttributes(requestAttributes(r)...)
	}
	body := &countedBody{ReadCloser: r.Body}
	r = r.WithContext(ctx)
	r.Body = body
	answer := next(r)
	read := body.read.Load()
	if span.IsRecording() {
		span.SetName(spanName(r)) // the mux has matched a pattern by now
		span.SetAttributes(answerAttributes(answer, routeOf(r), read)...)
		if answer.Status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
	}
	options := o.series.of(r, answer.Status)
	o.took.Record(ctx, time.Since(begin).Seconds(), options...)
	o.received.Record(ctx, read, options...)
	o.sent.Record(ctx, answer.Bytes, options...)
}

// spanName returns the method, and the route if there is one: nothing that a caller can invent.
func spanName(r *http.Request) string {
	method := knownMethod(r.Method)
	if method == otherMethod {
		method = "HTTP"
	}
	if route := routeOf(r); route != "" {
		return method + " " + route
	}
	return method
}

// routeOf returns the path of the pattern that r matched. It is empty before the mux ran, and for requests answered without it.
func routeOf(r *http.Request) string {
	if i := strings.IndexByte(r.Pattern, '/'); i >= 0 {
		return r.Pattern[i:]
	}
	return ""
}

// countedBody counts the bytes read of a body, possibly by another goroutine than the handler's.
type countedBody struct {
	io.ReadCloser
	read atomic.Int64
}

// Read reads and counts.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Add(int64(n))
	return n, err
}
