package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/grpclog"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/telemetry"
)

func TestMain(m *testing.M) {
	telemetry.CaptureGRPC() // before gRPC is used
	m.Run()
}

func setup(t *testing.T, c telemetry.Config) *telemetry.Telemetry {
	t.Helper()
	tel, err := telemetry.Setup(t.Context(), c)
	if err != nil {
		t.Fatalf("Setup(%+v) = %v, want no error", c, err)
	}
	return tel
}

func TestALogLineLeadsToItsTrace(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tel := setup(t, telemetry.Config{LogWriter: &out})
	ctx, span := tel.TracerProvider.Tracer("test").Start(t.Context(), "work")
	tel.Logger.With(slog.String("a", "b")).InfoContext(ctx, "hello")
	tel.Logger.DebugContext(ctx, "not logged")
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("log = %q, want one JSON line: %v", out.String(), err)
	}
	if got, want := line["trace_id"], span.SpanContext().TraceID().String(); got != want {
		t.Errorf("trace_id = %v, want %v", got, want)
	}
	if got, want := line["span_id"], span.SpanContext().SpanID().String(); got != want || line["a"] != "b" {
		t.Errorf("span_id = %v and a = %v, want %v and b", got, line["a"], want)
	}
}

func TestTheSamplerKeepsEveryConsultationSpan(t *testing.T) {
	t.Parallel()
	unsampled := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, Remote: true})
	sampled := unsampled.WithTraceFlags(trace.FlagsSampled)
	tests := map[string]struct {
		ratio  float64
		parent trace.SpanContext
		name   string
		want   bool
	}{
		"an ordinary root at ratio 0":                     {0, trace.SpanContext{}, "work", false},
		"an ordinary root at ratio 1":                     {1, trace.SpanContext{}, "work", true},
		"an ordinary child follows its unsampled parent":  {1, unsampled, "work", false},
		"an ordinary child follows its sampled parent":    {0, sampled, "work", true},
		"a consultation at ratio 0":                       {0, trace.SpanContext{}, "quorate.consultation.verdict", true},
		"a consultation below an unsampled remote parent": {0, unsampled, "quorate.consultation.verdict", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, receiver := range []string{"", "http://127.0.0.1:1"} { // what agents are told does not depend on who receives ours
				tel := setup(t, telemetry.Config{TraceRatio: test.ratio, OTLPEndpoint: receiver})
				ctx := trace.ContextWithSpanContext(t.Context(), test.parent)
				_, span := tel.TracerProvider.Tracer("test").Start(ctx, test.name)
				if got := span.SpanContext().IsSampled(); got != test.want {
					t.Errorf("with receiver %q: Start(%q).IsSampled() = %v, want %v", receiver, test.name, got, test.want)
				}
				if got, want := span.IsRecording(), test.want && receiver != ""; got != want {
					t.Errorf("with receiver %q: Start(%q).IsRecording() = %v, want %v", receiver, test.name, got, want)
				}
			}
		})
	}
}

func TestMetricsAreServedForPrometheus(t *testing.T) {
	t.Parallel()
	tel := setup(t, telemetry.Config{ServiceName: "quorate"})
	counter, err := tel.MeterProvider.Meter("test").Int64Counter("quorate.things")
	if err != nil {
		t.Fatal(err)
	}
	counter.Add(t.Context(), 3)
	metrics := readMetrics(t, tel)
	for _, want := range []string{"quorate_things_total{", "} 3", "go_goroutines"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("GET /metrics has no %q:\n%s", want, metrics)
		}
	}
}

func readMetrics(t *testing.T, tel *telemetry.Telemetry) string {
	t.Helper()
	answer, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody)
	r.Header.Set("Accept-Encoding", "gzip")
	tel.MetricsHandler.ServeHTTP(answer, r)
	return answer.Body.String()
}

// TestMetricsAreGatheredOnceForManyReaders reads them as strangers could, who must not have the server gather, keep and compress them for each of a thousand reads.
func TestMetricsAreGatheredOnceForManyReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tel, gathered := setup(t, telemetry.Config{}), 0
		meter := tel.MeterProvider.Meter("test")
		_, err := meter.Int64ObservableCounter("quorate.reads", metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			gathered++
			o.Observe(int64(gathered))
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		for want := range 3 {
			for range 10 {
				if metrics := readMetrics(t, tel); !strings.Contains(metrics, fmt.Sprintf("} %d\n", want+1)) || gathered != want+1 {
					t.Fatalf("GET /metrics gathers them %d times, want %d:\n%s", gathered, want+1, metrics)
				}
			}
			<-time.After(time.Second)
		}
	})
}

func TestThePropagatorSpeaksW3C(t *testing.T) {
	t.Parallel()
	tel := setup(t, telemetry.Config{TraceRatio: 1})
	ctx, span := tel.TracerProvider.Tracer("test").Start(t.Context(), "work")
	defer span.End()
	carrier := propagation.MapCarrier{}
	tel.Propagator.Inject(ctx, carrier)
	if carrier["traceparent"] == "" {
		t.Errorf("Inject() = %v, want a traceparent", carrier)
	}
}

// TestSpansTellReplicasApart looks at the resource of spans, which is the same for all replicas but for its instance.
func TestSpansTellReplicasApart(t *testing.T) {
	started := func() attribute.Set {
		tel := setup(t, telemetry.Config{ServiceName: "quorate", ServiceVersion: "1.2.3", TraceRatio: 1, OTLPEndpoint: "http://127.0.0.1:1"})
		_, span := tel.TracerProvider.Tracer("test").Start(t.Context(), "work") // never ends, so nothing is sent
		recorded, ok := span.(sdktrace.ReadOnlySpan)
		if !ok {
			t.Fatalf("the span is %T, want one that is recorded", span)
		}
		return *recorded.Resource().Set()
	}
	value := func(from attribute.Set, key attribute.Key) string {
		v, _ := from.Value(key)
		return v.AsString()
	}
	a, b := started(), started()
	for _, key := range []attribute.Key{"service.name", "service.version", "telemetry.sdk.language"} {
		if value(a, key) == "" || value(a, key) != value(b, key) {
			t.Errorf("%s is %q and %q, want one value", key, value(a, key), value(b, key))
		}
	}
	if id := value(a, "service.instance.id"); id == "" || id == value(b, "service.instance.id") {
		t.Errorf("service.instance.id is %q twice, want one for each process", id)
	}
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "service.instance.id=pod-7,service.name=other,unreadable")
	if c := started(); value(c, "service.instance.id") != "pod-7" || value(c, "service.name") != "quorate" {
		t.Errorf("service.instance.id is %q of %q, want what the environment says of the configured service", value(c, "service.instance.id"), value(c, "service.name"))
	}
}

func TestSetupRefusesAWrongConfig(t *testing.T) {
	t.Parallel()
	for field, list := range map[string][]telemetry.Config{
		"logLevel":   {{LogLevel: "loud"}},
		"logFormat":  {{LogFormat: "xml"}},
		"traceRatio": {{TraceRatio: 1.1}, {TraceRatio: -1}, {TraceRatio: math.NaN()}},
		"otlpEndpoint": {
			{OTLPEndpoint: "localhost:4317"},
			{OTLPEndpoint: "http://"},
			{OTLPEndpoint: "unix:///run/otlp"},
			{OTLPEndpoint: "http://user:secret@localhost:4317"},
			{OTLPEndpoint: "http://localhost:4318/v1/traces"},
			{OTLPEndpoint: "http://localhost:4317?key=secret"},
		},
	} {
		for _, c := range list {
			_, err := telemetry.Setup(t.Context(), c)
			if f, ok := errors.AsType[*fault.Error](err); !ok || len(f.Violations) != 1 || f.Violations[0].Field != field {
				t.Errorf("Setup(%+v) = %v, want a fault about %s", c, err, field)
			}
		}
	}
}

func TestShutdownWithoutAReceiverEnds(t *testing.T) {
	t.Parallel()
	tel := setup(t, telemetry.Config{OTLPEndpoint: "http://127.0.0.1:1", TraceRatio: 1})
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown() = %v, want no error with nothing buffered", err)
	}
}

func TestSpansWithoutAReceiverBelongToTheCallersTrace(t *testing.T) {
	t.Parallel()
	state, err := trace.ParseTraceState("vendor=value")
	if err != nil {
		t.Fatal(err)
	}
	parent := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled, TraceState: state, Remote: true})
	tracer := setup(t, telemetry.Config{}).TracerProvider.Tracer("test")
	ctx, span := tracer.Start(trace.ContextWithSpanContext(t.Context(), parent), "work")
	got := span.SpanContext()
	if got.TraceID() != parent.TraceID() || got.SpanID() == parent.SpanID() || !got.IsValid() || got.IsRemote() || got.TraceState().String() != "vendor=value" {
		t.Errorf("Start() = %+v, want a span of its own in the trace %+v", got, parent)
	}
	if _, root := tracer.Start(ctx, "work", trace.WithNewRoot()); root.SpanContext().TraceID() == parent.TraceID() || !root.SpanContext().IsValid() {
		t.Errorf("Start(new root) = %+v, want a trace of its own", root.SpanContext())
	}
}

// BenchmarkSpanWithoutAReceiver measures what a caller's sampled trace costs if there is no receiver.
func BenchmarkSpanWithoutAReceiver(b *testing.B) {
	tel, err := telemetry.Setup(b.Context(), telemetry.Config{})
	if err != nil {
		b.Fatal(err)
	}
	parent := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled, Remote: true})
	ctx, tracer := trace.ContextWithSpanContext(b.Context(), parent), tel.TracerProvider.Tracer("test")
	b.ReportAllocs()
	for b.Loop() {
		_, span := tracer.Start(ctx, "work", trace.WithSpanKind(trace.SpanKindServer))
		if span.IsRecording() {
			span.SetAttributes(attribute.String("a", "b"))
		}
		span.End()
	}
}

func TestLongValuesInTheLogAreCut(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "text"} {
		var log bytes.Buffer
		logger := setup(t, telemetry.Config{LogWriter: &log, LogFormat: format}).Logger
		long := strings.Repeat("é", 1<<20)
		logger.Warn("rpc", slog.Any("error", errors.New(long)), slog.String("path", long), slog.Int("n", 7))
		if size := log.Len(); size > 70<<10 || strings.Count(log.String(), "(cut)") != 2 || !strings.Contains(log.String(), "7") {
			t.Errorf("a line with two texts of 2 MiB has %d bytes as %s, want their beginnings and that they are cut", size, format)
		}
	}
}

func TestAnErrorThatIsANilPointerIsLogged(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "text"} {
		var log bytes.Buffer
		logger := setup(t, telemetry.Config{LogWriter: &log, LogFormat: format}).Logger
		logger.Warn("rpc", slog.Any("error", (*fault.Error)(nil)))
		if !strings.Contains(log.String(), "nil") || json.Valid(log.Bytes()) != (format == "json") {
			t.Errorf("the log as %s is %s, want that there is no error", format, log.String())
		}
	}
}

func TestErrorsOfOpenTelemetryAreLogged(t *testing.T) { //nolint:paralleltest // what it sets is the whole process's
	var log bytes.Buffer
	telemetry.LogErrors(setup(t, telemetry.Config{LogWriter: &log}).Logger)
	t.Cleanup(func() { telemetry.LogErrors(setup(t, telemetry.Config{}).Logger) })
	otel.Handle(errors.New("nobody took the spans"))
	var line struct{ Level, Error string }
	if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.Level != "WARN" || line.Error != "nobody took the spans" {
		t.Errorf("the log is %q (%v), want a line of JSON at WARN with the error", log.String(), err)
	}
}

// TestCallersWhoLeaveAreNoTrouble has the gateway say what it says when somebody stops watching.
func TestCallersWhoLeaveAreNoTrouble(t *testing.T) { //nolint:paralleltest // what it sets is the whole process's
	for said, level := range map[string]string{
		"Failed to flush response to client: write: broken pipe": "DEBUG", "Failed to send response chunk: write: broken pipe": "DEBUG",
		"Failed to marshal response chunk: no": "WARN",
	} {
		var log bytes.Buffer
		telemetry.LogErrors(setup(t, telemetry.Config{LogWriter: &log, LogLevel: "debug"}).Logger)
		t.Cleanup(func() { telemetry.LogErrors(setup(t, telemetry.Config{}).Logger) })
		grpclog.Error(said)
		var line struct{ Level, Error string }
		if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.Level != level || line.Error != said {
			t.Errorf("the log of %q is %q (%v), want a line at %s", said, log.String(), err, level)
		}
	}
}

// TestErrorsOfLibrariesDoNotFillTheLog has spans refused as often as there are some, and gRPC complain as often as a stranger calls.
func TestErrorsOfLibrariesDoNotFillTheLog(t *testing.T) { //nolint:paralleltest // what it sets is the whole process's
	for name, report := range map[string]func(){
		"OpenTelemetry": func() { otel.Handle(errors.New("it went wrong")) },
		"gRPC":          func() { grpclog.Error("it went wrong") },
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // as above
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				telemetry.LogErrors(setup(t, telemetry.Config{LogWriter: &log}).Logger)
				defer telemetry.LogErrors(setup(t, telemetry.Config{}).Logger)
				for range 1000 {
					report()
				}
				if n := strings.Count(log.String(), "it went wrong"); n != 10 {
					t.Errorf("the log has %d lines of 1000 errors at once, want 10", n)
				}
				<-time.After(time.Minute)
				log.Reset()
				report()
				if !strings.Contains(log.String(), `"error":"it went wrong","unlogged":990`) {
					t.Errorf("the next line is %q, want that 990 errors have none", log.String())
				}
			})
		})
	}
}
