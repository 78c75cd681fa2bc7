package ddb_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
)

// elsewhen is the way to a DynamoDB whose clock differs from ours, or that does not tell the time.
type elsewhen struct {
	ahead  time.Duration
	silent bool
}

func (e *elsewhen) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := dynamotest.NewChaos(1).RoundTrip(request)
	if err == nil {
		response.Header.Set("Date", time.Now().Add(e.ahead).UTC().Format(http.TimeFormat))
	}
	if err == nil && e.silent {
		response.Header.Del("Date")
	}
	return response, err
}

// Replicas compare times that others have written, such as the ends of leases, with their own.
func TestTheTimeIsThatOfDynamoDB(t *testing.T) {
	t.Parallel()
	e := &elsewhen{}
	c := dynamotest.Open(t, e)
	if err := c.Apply(t.Context(), []ddb.Table{items}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	for _, test := range []struct {
		ahead, want time.Duration
		silent      bool
	}{
		{0, 0, false},
		{time.Second, 0, false}, // as precise as it gets
		{30 * time.Second, 30 * time.Second, false},
		{31 * time.Second, 30 * time.Second, false},
		{-time.Hour, -time.Hour, false},
		{0, -time.Hour, true},
		{0, 0, false},
	} {
		e.ahead, e.silent = test.ahead, test.silent
		if _, err := c.BatchGet(t.Context(), "Items", []ddb.Item{{"id": &types.AttributeValueMemberS{Value: "a"}}}); err != nil {
			t.Fatalf("BatchGet() = %v, want no error", err)
		}
		if got := time.Until(c.Now()); (got-test.want).Abs() > 1500*time.Millisecond || test.want == 0 && got > 0 {
			t.Errorf("Now() is ahead by %s with a DynamoDB that is ahead by %s, want about %s", got, test.ahead, test.want)
		}
	}
}
