package ddb_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/quorate/quorate/platform/ddb"
)

// elsewhen is the way to a DynamoDB whose clock differs from ours, or that does not tell the time.
type elsewhen struct {
	ahead  time.Duration
	silent bool
	form   string // of its answers
}

func (e *elsewhen) RoundTrip(request *http.Request) (*http.Response, error) {
	response := answer(request, http.StatusOK, "{}")
	response.Header.Set("Content-Type", e.form)
	response.Header.Set("Date", time.Now().Add(e.ahead).UTC().Format(http.TimeFormat))
	if e.silent {
		response.Header.Del("Date")
	}
	return response, nil
}

// behind returns how far the machine's clock is behind DynamoDB's as it is measured.
func behind(t *testing.T, reader *metric.ManualReader) time.Duration {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if g, ok := m.Data.(metricdata.Gauge[float64]); ok && m.Name == "quorate.clock.behind" && len(g.DataPoints) == 1 {
				return time.Duration(g.DataPoints[0].Value * float64(time.Second))
			}
		}
	}
	t.Fatal("the clock is not measured")
	return 0
}

// Replicas compare times that others have written, such as the ends of leases, with their own.
func TestTheTimeIsThatOfDynamoDB(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &elsewhen{form: "application/x-amz-json-1.0"}
		reader := metric.NewManualReader()
		c, err := ddb.Open(t.Context(), ddb.Config{Endpoint: "http://127.0.0.1:8000", Transport: e, Meter: metric.NewMeterProvider(metric.WithReader(reader)).Meter("ddb")})
		if err != nil {
			t.Fatal(err)
		}
		if got := behind(t, reader); got != 0 {
			t.Errorf("before the first answer the clock is measured as %s behind, want 0", got)
		}
		const half = time.Second / 2 // of what a date leaves open
		for _, test := range []struct {
			ahead, want time.Duration
			silent      bool
		}{
			{0, 0, false},
			{time.Second, 0, false}, // as precise as it gets
			{30 * time.Second, 30*time.Second + half, false},
			{31 * time.Second, 30*time.Second + half, false},
			{-time.Hour, -time.Hour + half, false},
			{0, -time.Hour + half, true},
			{0, 0, false},
		} {
			e.ahead, e.silent = test.ahead, test.silent
			if _, err := c.BatchGet(t.Context(), "Items", []ddb.Item{{"id": &types.AttributeValueMemberS{Value: "a"}}}); err != nil {
				t.Fatalf("BatchGet() = %v, want no error", err)
			}
			if got := time.Until(c.Now()); got != test.want {
				t.Errorf("Now() is ahead by %s with a DynamoDB that is ahead by %s, want %s", got, test.ahead, test.want)
			}
			if got := behind(t, reader); got != test.want {
				t.Errorf("with a DynamoDB that is ahead by %s the clock is measured as %s behind, want %s", test.ahead, got, test.want)
			}
		}
	})
}

// An error page of a proxy on the way has the time of that proxy. With a wrong one, deadlines would seem to be over until the next answer comes.
func TestTheTimeIsNotThatOfAProxy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &elsewhen{ahead: time.Hour, form: "text/html"}
		c, err := ddb.Open(t.Context(), ddb.Config{Endpoint: "http://127.0.0.1:8000", Transport: e})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.BatchGet(t.Context(), "Items", []ddb.Item{{"id": &types.AttributeValueMemberS{Value: "a"}}}); err != nil {
			t.Fatalf("BatchGet() = %v, want no error", err)
		}
		if got := time.Until(c.Now()); got != 0 {
			t.Errorf("Now() is ahead by %s after the answer of a proxy whose clock is ahead by %s, want 0", got, e.ahead)
		}
	})
}

// A time with a monotonic reading would be compared by that, which goes on as if the clock had not been corrected.
func TestTheTimeHasNoMonotonicReading(t *testing.T) {
	t.Parallel()
	c, err := ddb.Open(t.Context(), ddb.Config{Endpoint: "http://127.0.0.1:8000", Transport: &elsewhen{}})
	if err != nil {
		t.Fatal(err)
	}
	if now := c.Now(); now != now.Round(0) {
		t.Errorf("Now() = %s, want a time without a monotonic reading", now)
	}
}
