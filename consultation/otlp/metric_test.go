package otlp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/quorate/quorate/consultation/otlp"
)

func TestTheMetricSaysWhatBecameOfSpans(t *testing.T) {
	t.Parallel()
	s, reader := newServer(t), metric.NewManualReader()
	var err error
	if s.receiver, err = otlp.New(s.ledger, otlp.Options{Meter: metric.NewMeterProvider(metric.WithReader(reader)).Meter("otlp")}); err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	honest, wrong := jsonVerdict(s.issue(t), "approved"), `{"name":"quorate.consultation.verdict"}`
	body := strings.Replace(honest, `"spans":[`, `"spans":[{"name":"a"},{"name":"b"},{"name":"c"},`+wrong+`,`+wrong+`,`, 1)
	if resp := s.post(t, http.MethodPost, jsonType, "", "reviewer-token", strings.NewReader(body)); resp.Code != http.StatusOK {
		t.Fatalf("POST = %d %q, want 200", resp.Code, resp.Body)
	}
	var got metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &got); err != nil {
		t.Fatalf("Collect() = %v, want no error", err)
	}
	counts := make(map[string]int64)
	for _, scope := range got.ScopeMetrics {
		for _, m := range scope.Metrics {
			sum, _ := m.Data.(metricdata.Sum[int64])
			for _, point := range sum.DataPoints {
				decision, _ := point.Attributes.Value("decision")
				reason, _ := point.Attributes.Value("reason")
				counts[m.Name+" "+decision.AsString()+" "+reason.AsString()] += point.Value
			}
		}
	}
	const name = "quorate.otlp.spans "
	if diff := cmp.Diff(map[string]int64{name + "recorded ": 1, name + "ignored ": 3, name + "refused EVIDENCE_UNKNOWN_CONSULTATION": 2}, counts); diff != "" {
		t.Errorf("the metric differs (-want +got):\n%s", diff)
	}
}
