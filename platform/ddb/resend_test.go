package ddb_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

// code is the part of an answer with the code of an error.
const code = `"__type":"com.amazonaws.dynamodb.v20120810#%s"`

// openPlayed returns a client for a DynamoDB that is played, in played time.
func openPlayed(t *testing.T, play roundTrip) *ddb.Client {
	t.Helper()
	c, err := ddb.Open(t.Context(), ddb.Config{Endpoint: "http://127.0.0.1:8000", Transport: play})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	return c
}

// broken is a body that breaks off.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
func (broken) Close() error             { return nil }

// A write is made, and the answer is lost in one way or another. To who sends the write again, it looks as if another were faster.
func TestAWriteThatIsSentAgainKnowsItself(t *testing.T) {
	t.Parallel()
	lost := func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }
	for name, test := range map[string]struct {
		lose     roundTrip
		attempts int // that are lost; the SDK makes 8
	}{
		"there is none":                      {lost, 1},
		"there is none to all the SDK sends": {lost, 8},
		"it is an error of the server": {func(request *http.Request) (*http.Response, error) {
			return answer(request, http.StatusInternalServerError, fmt.Sprintf("{"+code+"}", "InternalServerError")), nil
		}, 1},
		"it breaks off": {func(request *http.Request) (*http.Response, error) {
			made := answer(request, http.StatusOK, "{}")
			made.Body = broken{}
			return made, nil
		}, 1},
		"it cannot be read": {func(request *http.Request) (*http.Response, error) {
			return answer(request, http.StatusOK, "<html>"), nil
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				attempts, stored := 0, json.RawMessage(nil)
				c := openPlayed(t, func(request *http.Request) (*http.Response, error) {
					attempts++
					if attempts > test.attempts {
						return answer(request, http.StatusBadRequest, fmt.Sprintf(`{`+code+`,"Item":%s}`, "ConditionalCheckFailedException", stored)), nil
					}
					var put struct{ Item json.RawMessage }
					if err := json.NewDecoder(request.Body).Decode(&put); err != nil {
						t.Errorf("the request is not JSON: %v", err)
					}
					if attempts == 1 {
						stored = put.Item
					}
					return test.lose(request)
				})
				if err := c.Replace(t.Context(), "Items", nil, item("a", "w")); err != nil || attempts != test.attempts+1 {
					t.Errorf("Replace() = %v after %d attempts, want no error after %d: the first has made it", err, attempts, test.attempts+1)
				}
			})
		})
	}
}

// TestAReadIsSentAgainWhenItsAnswerBreaksOff has a connection end in the middle of an answer, as when a machine in between goes away.
func TestAReadIsSentAgainWhenItsAnswerBreaksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := openPlayed(t, func(request *http.Request) (*http.Response, error) {
			made := answer(request, http.StatusOK, `{"Responses":{}}`)
			if calls++; calls == 1 {
				made.Body = broken{}
			}
			return made, nil
		})
		if _, err := c.BatchGet(t.Context(), "Items", []ddb.Item{item("a", "w")}); err != nil || calls != 2 {
			t.Errorf("BatchGet() = %v after %d calls, want no error after 2", err, calls)
		}
	})
}

func TestATransactionIsSentAgainWhileItConflictsOrIsThrottled(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]struct {
		lasting int // calls that are refused
		calls   int
		fault   string
	}{
		"TransactionConflict":             {40, 33, "STORE_BUSY"},
		"ThrottlingError":                 {5, 6, ""},
		"ProvisionedThroughputExceeded":   {40, 33, "STORE_BUSY"},
		"ItemCollectionSizeLimitExceeded": {1, 1, "INTERNAL"},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				c := openPlayed(t, func(request *http.Request) (*http.Response, error) {
					if calls++; calls > want.lasting {
						return answer(request, http.StatusOK, "{}"), nil
					}
					body := fmt.Sprintf(`{`+code+`,"CancellationReasons":[{"Code":"None"},{"Code":%q}]}`, "TransactionCanceledException", reason)
					return answer(request, http.StatusBadRequest, body), nil
				})
				put := types.TransactWriteItem{Put: &types.Put{TableName: c.Table("Items"), Item: item("a", "w")}}
				err := c.Transact(t.Context(), []types.TransactWriteItem{put})
				if got := fault.ReasonOf(err); got != want.fault || calls != want.calls {
					t.Errorf("Transact() = %v after %d calls, want %q after %d", err, calls, want.fault, want.calls)
				}
			})
		})
	}
}
