package ddb_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
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

// A batch goes on as long as each call does something, and gives up when call after call does nothing.
func TestABatchEndsWhenNothingIsDoneAnyMore(t *testing.T) {
	t.Parallel()
	const size = 25
	for name, x := range map[string]struct {
		done int // by each call
		want string
	}{"one each time": {1, ""}, "none": {0, "STORE_BUSY"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				left := size
				c, err := ddb.Open(t.Context(), ddb.Config{Endpoint: "http://127.0.0.1:8000", Transport: roundTrip(func(request *http.Request) (*http.Response, error) {
					left -= x.done
					keys := strings.Join(slices.Repeat([]string{`{"id":{"S":"a"}}`}, left), ",")
					deletes := strings.Join(slices.Repeat([]string{`{"DeleteRequest":{"Key":{"id":{"S":"a"}}}}`}, left), ",")
					if left == 0 {
						return answer(request, http.StatusOK, "{}"), nil
					}
					return answer(request, http.StatusOK, fmt.Sprintf(`{"UnprocessedKeys":{"Items":{"Keys":[%s]}},"UnprocessedItems":{"Items":[%s]}}`, keys, deletes)), nil
				})})
				if err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				key := ddb.Item{"id": &types.AttributeValueMemberS{Value: "a"}}
				_, err = c.BatchGet(t.Context(), "Items", slices.Repeat([]ddb.Item{key}, size))
				if waited := time.Since(begun); fault.ReasonOf(err) != x.want || (waited > 0) != (x.done == 0) {
					t.Errorf("BatchGet() = %v after %s, want %q, and a wait unless something was done", err, waited, x.want)
				}
				begun, left = time.Now(), size
				err = c.BatchWrite(t.Context(), "Items", slices.Repeat([]types.WriteRequest{{DeleteRequest: &types.DeleteRequest{Key: key}}}, size))
				if waited := time.Since(begun); fault.ReasonOf(err) != x.want || (waited > 0) != (x.done == 0) {
					t.Errorf("BatchWrite() = %v after %s, want %q, and a wait unless something was done", err, waited, x.want)
				}
			})
		})
	}
}
