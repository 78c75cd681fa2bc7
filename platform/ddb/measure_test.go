package ddb_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
)

// attempts returns how many attempts were measured, by operation and error.
func attempts(t *testing.T, reader *metric.ManualReader) map[string]uint64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]uint64)
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name == "quorate.clock.behind" {
				continue
			}
			took, ok := m.Data.(metricdata.Histogram[float64])
			if !ok || m.Name != "db.client.operation.duration" || m.Unit != "s" {
				t.Fatalf("metric %s is a %T in %q, want db.client.operation.duration in s", m.Name, m.Data, m.Unit)
			}
			for _, point := range took.DataPoints {
				operation, _ := point.Attributes.Value("db.operation.name")
				failure, _ := point.Attributes.Value("error.type")
				counts[operation.AsString()+" "+failure.AsString()] += point.Count
			}
		}
	}
	return counts
}

func TestEachAttemptIsMeasured(t *testing.T) {
	t.Parallel()
	reader := metric.NewManualReader()
	chaos := dynamotest.NewChaos(1)
	chaos.Throttle, chaos.Match = 0.5, func(operation string) bool { return operation == "BatchGetItem" }
	c, err := ddb.Open(t.Context(), ddb.Config{
		Endpoint: dynamotest.Endpoint(t), TablePrefix: "measure-", Transport: chaos, Meter: metric.NewMeterProvider(metric.WithReader(reader)).Meter("ddb"),
	})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	if err := c.Apply(t.Context(), []ddb.Table{items}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	const calls = 10
	for range calls {
		if _, err := c.BatchGet(t.Context(), "Items", []ddb.Item{{"id": &types.AttributeValueMemberS{Value: "a"}}}); err != nil {
			t.Fatalf("BatchGet() = %v, want no error", err)
		}
	}
	throttled := uint64(chaos.Count("throttle"))
	if got := attempts(t, reader); got["BatchGetItem "] != calls || got["BatchGetItem ProvisionedThroughputExceededException"]+got["BatchGetItem ThrottlingException"] != throttled || throttled == 0 {
		t.Errorf("%d calls with %d throttled attempts were measured as %v, want each attempt", calls, throttled, got)
	}
}
