package telemetry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/telemetry"
)

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
			tel := setup(t, telemetry.Config{TraceRatio: test.ratio})
			ctx := trace.ContextWithSpanContext(t.Context(), test.parent)
			_, span := tel.TracerProvider.Tracer("test").Start(ctx, test.name)
			if got := span.SpanContext().IsSampled(); got != test.want {
				t.Errorf("Start(%q).IsSampled() = %v, want %v", test.name, got, test.want)
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
	answer := httptest.NewRecorder()
	tel.MetricsHandler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	for _, want := range []string{"quorate_things_total{", "} 3", "go_goroutines"} {
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("GET /metrics has no %q:\n%s", want, answer.Body)
		}
	}
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

func TestSetupRefusesAWrongConfig(t *testing.T) {
	t.Parallel()
	for field, list := range map[string][]telemetry.Config{
		"logLevel":     {{LogLevel: "loud"}},
		"logFormat":    {{LogFormat: "xml"}},
		"traceRatio":   {{TraceRatio: 1.1}, {TraceRatio: -1}, {TraceRatio: math.NaN()}},
		"otlpEndpoint": {{OTLPEndpoint: "localhost:4317"}, {OTLPEndpoint: "http://"}, {OTLPEndpoint: "unix:///run/otlp"}},
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
