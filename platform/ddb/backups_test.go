package ddb_test

import (
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
)

// backups answers the calls about backups, which no emulator knows: they are off, and cannot be turned on at once.
type backups struct {
	next  http.RoundTripper
	tries atomic.Int32
}

func (b *backups) RoundTrip(request *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	on := `{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"ENABLED"}}}`
	switch {
	case operation == "DescribeContinuousBackups" && b.tries.Load() < 3:
		return answer(request, 200, strings.ReplaceAll(on, "ENABLED", "DISABLED")), nil
	case operation == "UpdateContinuousBackups" && b.tries.Add(1) < 3:
		return answer(request, 400, `{"__type":"com.amazonaws.dynamodb.v20120810#ContinuousBackupsUnavailableException","message":"soon"}`), nil
	case strings.HasSuffix(operation, "ContinuousBackups"):
		return answer(request, 200, on), nil
	}
	return b.next.RoundTrip(request)
}

func answer(request *http.Request, status int, body string) *http.Response {
	header := http.Header{"X-Amz-Crc32": {strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(body))), 10)}}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: request}
}

func TestBackupsAreTurnedOnOnceTheTableTakesThem(t *testing.T) {
	t.Parallel()
	b := &backups{next: dynamotest.NewChaos(1)}
	c := dynamotest.Open(t, b)
	if err := c.Apply(t.Context(), []ddb.Table{items}, nil); err != nil { // for a new table of an emulator, backups are not turned on
		t.Fatalf("Apply() = %v, want no error", err)
	}
	if got, want := plan(t, c, items), []string{"turn on point-in-time recovery"}; !slices.Equal(got, want) {
		t.Errorf("Plan() = %q, want %q", got, want)
	}
	if err := c.Apply(t.Context(), []ddb.Table{items}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	if got := plan(t, c, items); len(got) != 0 || b.tries.Load() != 3 {
		t.Errorf("Plan() after Apply() = %q and %d tries, want nothing and 3", got, b.tries.Load())
	}
}
