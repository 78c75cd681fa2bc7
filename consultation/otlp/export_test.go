package otlp_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/otlp"
)

// exporters are the real ones, each without retries so that a refusal is seen at once.
func exporters(t *testing.T, s *server, token string) map[string]*otlptrace.Exporter {
	t.Helper()
	headers := map[string]string{"authorization": "Bearer " + token}
	list := make(map[string]*otlptrace.Exporter)
	for name, client := range map[string]otlptrace.Client{
		"grpc": otlptracegrpc.NewClient(otlptracegrpc.WithEndpoint(s.grpc), otlptracegrpc.WithInsecure(), otlptracegrpc.WithHeaders(headers),
			otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{})),
		"grpc with gzip": otlptracegrpc.NewClient(otlptracegrpc.WithEndpoint(s.grpc), otlptracegrpc.WithInsecure(), otlptracegrpc.WithHeaders(headers),
			otlptracegrpc.WithCompressor("gzip"), otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{})),
		"http": otlptracehttp.NewClient(otlptracehttp.WithEndpoint(s.http), otlptracehttp.WithInsecure(), otlptracehttp.WithHeaders(headers),
			otlptracehttp.WithRetry(otlptracehttp.RetryConfig{})),
		"http with gzip": otlptracehttp.NewClient(otlptracehttp.WithEndpoint(s.http), otlptracehttp.WithInsecure(), otlptracehttp.WithHeaders(headers),
			otlptracehttp.WithCompression(otlptracehttp.GzipCompression), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{})),
	} {
		exporter, err := otlptrace.New(t.Context(), client)
		if err != nil {
			t.Fatalf("New(%s) = %v, want no error", name, err)
		}
		t.Cleanup(func() { _ = exporter.Shutdown(t.Context()) })
		list[name] = exporter
	}
	return list
}

var transports = []string{"grpc", "grpc with gzip", "http", "http with gzip"}

func TestAnExportedVerdictIsOnRecordWhenTheExporterReturns(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			c := s.issue(t)
			answer := verdict(t, c, "approved")
			other := tracetest.SpanStub{Name: "SendMessage", SpanContext: answer.SpanContext, Resource: answer.Resource} // in the same list of spans
			exporter := exporters(t, s, "reviewer-token")[transport]
			for range 2 { // an exporter may send again
				if err := exporter.ExportSpans(t.Context(), snapshots(other, answer)); err != nil {
					t.Fatalf("ExportSpans() = %v, want no error", err)
				}
			}
			if got := s.state(t); got != "answered approved" {
				t.Errorf("the consultation is %s, want answered approved", got)
			}
		})
	}
}

func TestNoGateOpensBetweenTwoVerdictsThatCameTogether(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := s.issue(t)
	var seen []string // by a gate that looks at once
	s.ledger.OnChange(func(string, string) { seen = append(seen, s.state(t)) })
	approval, rejection := verdict(t, c, "approved"), verdict(t, c, "rejected")
	rejection.SpanContext = rejection.SpanContext.WithSpanID(trace.SpanID{8})
	if err := exporters(t, s, "reviewer-token")["http"].ExportSpans(t.Context(), snapshots(approval, rejection)); err != nil {
		t.Fatalf("ExportSpans() = %v, want no error", err)
	}
	if want := []string{"answered rejected", "answered rejected"}; !slices.Equal(seen, want) {
		t.Errorf("the consultation was %q, one after the other, want %q", seen, want)
	}
}

func TestTheSenderAndTheOperatorSeeWhyAVerdictDoesNotCount(t *testing.T) {
	t.Parallel()
	without := func(key string) func(*tracetest.SpanStub) {
		return func(s *tracetest.SpanStub) {
			s.Attributes = slices.DeleteFunc(s.Attributes, func(kv attribute.KeyValue) bool { return string(kv.Key) == key })
		}
	}
	with := func(kv attribute.KeyValue) func(*tracetest.SpanStub) {
		return func(s *tracetest.SpanStub) {
			without(string(kv.Key))(s)
			s.Attributes = append(s.Attributes, kv)
		}
	}
	tests := map[string]struct {
		token  string
		change func(*tracetest.SpanStub)
		reason string
		says   string
	}{
		"the source forges the target's span": {token: "coder-token", reason: "EVIDENCE_NOT_THE_TARGET"},
		"an admin of the target's name":       {token: "admin-token", reason: "EVIDENCE_NOT_AN_AGENT", says: "quorate agents token"},
		"another service name": {
			change: func(s *tracetest.SpanStub) {
				s.Resource = resource.NewSchemaless(attribute.String("service.name", "coder"))
			},
			reason: "EVIDENCE_OTHER_SERVICE", says: `service.name is "coder", want "reviewer"`,
		},
		"no service name": {
			change: func(s *tracetest.SpanStub) { s.Resource = resource.Empty() },
			reason: "EVIDENCE_OTHER_SERVICE", says: `service.name is "", want "reviewer"`,
		},
		"no consultation id":         {change: without(otlp.IDKey), reason: "EVIDENCE_UNKNOWN_CONSULTATION", says: `no consultation ""`},
		"a guessed consultation":     {change: with(attribute.String(otlp.IDKey, "guess")), reason: "EVIDENCE_UNKNOWN_CONSULTATION", says: `no consultation "guess"`},
		"no target":                  {change: without(otlp.TargetKey), reason: "EVIDENCE_NOT_THE_TARGET", says: `the target "", want "reviewer"`},
		"another task":               {change: with(attribute.String(otlp.TaskKey, "task-2")), reason: "EVIDENCE_OTHER_TASK", says: `the task is "task-2", want "task-1"`},
		"another attempt":            {change: with(attribute.Int(otlp.AttemptKey, 2)), reason: "EVIDENCE_OTHER_ATTEMPT", says: `the attempt is "2", want "1"`},
		"no digest":                  {change: without(otlp.DigestKey), reason: "EVIDENCE_OTHER_DIGEST", says: `the subject digest is "", want "` + consultation.Digest(nil) + `"`},
		"no outcome":                 {change: without(otlp.OutcomeKey), reason: "EVIDENCE_UNKNOWN_OUTCOME"},
		"an attempt that is text":    {change: with(attribute.String(otlp.AttemptKey, "1")), reason: "EVIDENCE_MALFORMED", says: "has the type Str, want an integer"},
		"an attempt with a fraction": {change: with(attribute.Float64(otlp.AttemptKey, 1)), reason: "EVIDENCE_MALFORMED", says: "has the type Double, want an integer"},
		"an attempt below zero":      {change: with(attribute.Int(otlp.AttemptKey, -1)), reason: "EVIDENCE_MALFORMED", says: "is -1, want a small integer"},
		"an outcome that is a list":  {change: with(attribute.StringSlice(otlp.OutcomeKey, []string{"approved"})), reason: "EVIDENCE_MALFORMED", says: "has the type Slice, want a string"},
		"no schema version":          {change: without(otlp.SchemaVersionKey), reason: "EVIDENCE_SCHEMA_UNSUPPORTED"},
		"a signature of nobody":      {change: with(attribute.String(otlp.SignatureKey, "e30..AA")), reason: "EVIDENCE_SIGNATURE_INVALID"},
		"two outcomes": {
			change: func(s *tracetest.SpanStub) {
				s.Attributes = append(s.Attributes, attribute.String(otlp.OutcomeKey, "rejected"))
			},
			reason: "EVIDENCE_DUPLICATE_KEY",
		},
		"two empty outcomes more": {
			change: func(s *tracetest.SpanStub) {
				s.Attributes = append(s.Attributes, attribute.String(otlp.OutcomeKey, ""))
			},
			reason: "EVIDENCE_DUPLICATE_KEY",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			stub := verdict(t, s.issue(t), "approved")
			if test.change != nil {
				test.change(&stub)
			}
			token := test.token
			if token == "" {
				token = "reviewer-token"
			}
			for transport, exporter := range exporters(t, s, token) {
				err := exporter.ExportSpans(t.Context(), snapshots(stub))
				if err == nil || !strings.Contains(err.Error(), test.reason) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "1 spans rejected") {
					t.Errorf("ExportSpans(%s) = %v, want a partial success with 1 span rejected and %s that says %s", transport, err, test.reason, test.says)
				}
			}
			if got := s.state(t); got != "open " {
				t.Errorf("the consultation is %s, want open", got)
			}
			if got, want := s.refused(t), test.reason; got != want && want != "EVIDENCE_UNKNOWN_CONSULTATION" {
				t.Errorf("the consultation has the refusals %q, want %s", got, want)
			}
		})
	}
}

func TestAPartialSuccessKeepsTheRest(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := s.issue(t)
	var spans []tracetest.SpanStub
	for i := range 10 {
		bad := verdict(t, c, "approved")
		bad.Attributes[0] = attribute.String(otlp.IDKey, fmt.Sprintf("guess-%d", i))
		spans = append(spans, bad)
	}
	spans = append(spans, verdict(t, c, "rejected"))
	err := exporters(t, s, "reviewer-token")["grpc"].ExportSpans(t.Context(), snapshots(spans...))
	if err == nil || !strings.Contains(err.Error(), "10 spans rejected") || strings.Count(err.Error(), "EVIDENCE_UNKNOWN_CONSULTATION") != 5 {
		t.Errorf("ExportSpans() = %v, want 10 spans rejected and five reasons", err)
	}
	if got := s.state(t); got != "answered rejected" {
		t.Errorf("the consultation is %s, want answered rejected", got)
	}
}

func TestWhoMayNotExportIsToldSo(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	stub := verdict(t, s.issue(t), "approved")
	for token, want := range map[string][]string{"nobody": {"Unauthenticated", "401"}, "viewer-token": {"PermissionDenied", "403"}} {
		for transport, exporter := range exporters(t, s, token) {
			err := exporter.ExportSpans(t.Context(), snapshots(stub))
			if err == nil || !slices.ContainsFunc(want, func(code string) bool { return strings.Contains(err.Error(), code) }) {
				t.Errorf("ExportSpans(%s, %s) = %v, want %v", transport, token, err, want)
			}
		}
	}
}

func TestTroubleWithTheStoreAsksForARetry(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	stub := verdict(t, s.issue(t), "approved")
	s.store.err = errors.New("disk on fire")
	for transport, exporter := range exporters(t, s, "reviewer-token") {
		err := exporter.ExportSpans(t.Context(), snapshots(stub))
		if err == nil || strings.Contains(err.Error(), "rejected") || strings.Contains(err.Error(), "fire") {
			t.Errorf("ExportSpans(%s) = %v, want unavailable and nothing of the cause", transport, err)
		}
	}
	s.store.err = nil
	for transport, exporter := range exporters(t, s, "reviewer-token") {
		if err := exporter.ExportSpans(t.Context(), snapshots(stub)); err != nil {
			t.Errorf("ExportSpans(%s) again = %v, want no error", transport, err)
		}
	}
	if got := s.state(t); got != "answered approved" {
		t.Errorf("the consultation is %s, want answered approved", got)
	}
}
