package dynamotest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/dynamotest"
)

// What a test asserts of its disturbances must not depend on luck.
func TestDisturbancesReachTheirRate(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		chaos := dynamotest.NewChaos(seed)
		chaos.Down = 0.02
		chaos.Throttle = 1 // what is not down is throttled, so nothing is sent
		for range 100 {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:1", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
			if response, err := chaos.RoundTrip(request); err == nil {
				_ = response.Body.Close()
			}
		}
		if down, throttled := chaos.Count("down"), chaos.Count("throttle"); down < 2 || down+throttled != 100 {
			t.Errorf("seed %d: %d of 100 calls down and %d throttled, want 2 at least and all others", seed, down, throttled)
		}
	}
}
