package ddb_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
)

// No emulator has reads that are not consistent, and so no store would notice.
func TestABatchIsReadConsistentlyUnlessRecentItemsAreAskedFor(t *testing.T) {
	t.Parallel()
	var asked string
	c, err := ddb.Open(t.Context(), ddb.Config{Endpoint: "http://127.0.0.1:8000", Transport: roundTrip(func(request *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(request.Body)
		asked = string(body)
		return answer(request, http.StatusOK, "{}"), err
	})})
	if err != nil {
		t.Fatal(err)
	}
	keys := []ddb.Item{{"id": &types.AttributeValueMemberS{Value: "a"}}}
	if _, err := c.BatchGet(t.Context(), "Items", keys); err != nil || !strings.Contains(asked, `"ConsistentRead":true`) {
		t.Errorf("BatchGet() = %v and asks %s, want a consistent read", err, asked)
	}
	if _, err := c.BatchGetRecent(t.Context(), "Items", keys); err != nil || !strings.Contains(asked, `"ConsistentRead":false`) {
		t.Errorf("BatchGetRecent() = %v and asks %s, want a read at half the price", err, asked)
	}
}
