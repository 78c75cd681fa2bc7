package ddb_test

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func isPut(request *http.Request) bool {
	return strings.HasSuffix(request.Header.Get("X-Amz-Target"), ".PutItem")
}

// The answer to a write is lost, and others write before it is sent again.
func TestAWriteWithoutAnAnswerIsSettledByWhoHasWrittenSince(t *testing.T) {
	t.Parallel()
	moved, unknown := ddb.ErrMoved.Error(), "WRITE_OUTCOME_UNKNOWN"
	for name, test := range map[string]struct {
		there, made bool // whether there was an item before, and whether the write was made
		others      int
		want        string
	}{
		"it was made":                         {true, true, 0, ""},
		"it was made, and others followed":    {true, true, 32, ""},
		"others were faster":                  {true, false, 32, moved},
		"too many were faster":                {true, false, 33, unknown},
		"the first was made":                  {false, true, 0, ""},
		"the first was made, others followed": {false, true, 32, ""},
		"others were the first":               {false, false, 32, moved},
		"too many were the first":             {false, false, 33, unknown},
		"it was made, and too many followed":  {true, true, 33, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lose func() // nil: nothing is lost
			c := dynamotest.Open(t, roundTrip(func(request *http.Request) (*http.Response, error) {
				others := lose
				if others == nil || !isPut(request) {
					return http.DefaultTransport.RoundTrip(request)
				}
				lose = nil
				if test.made {
					response, err := http.DefaultTransport.RoundTrip(request)
					if err != nil {
						return nil, err
					}
					_ = response.Body.Close() // it is lost
				}
				others()
				return nil, io.ErrUnexpectedEOF
			}))
			if err := c.Apply(t.Context(), []ddb.Table{items}, nil); err != nil {
				t.Fatalf("Apply() = %v, want no error", err)
			}
			key := ddb.Item{"id": &types.AttributeValueMemberS{Value: "a"}}
			write := func(n int) error {
				got, err := c.BatchGet(t.Context(), "Items", []ddb.Item{key})
				var old ddb.Item
				if len(got) > 0 {
					old = got[0]
				}
				return errors.Join(err, c.Replace(t.Context(), "Items", old, ddb.Item{"id": key["id"], "n": &types.AttributeValueMemberN{Value: strconv.Itoa(n)}}))
			}
			if test.there {
				if err := write(0); err != nil {
					t.Fatalf("Replace() = %v, want no error", err)
				}
			}
			lose = func() {
				for i := range test.others {
					if err := write(i); err != nil {
						t.Errorf("Replace() of another = %v, want no error", err)
					}
				}
			}
			err, got := write(100), ""
			switch {
			case errors.Is(err, ddb.ErrMoved):
				got = moved
			case err != nil:
				got = fault.ReasonOf(err)
			}
			if got != test.want {
				t.Errorf("Replace() = %v, want %q", err, test.want)
			}
		})
	}
}

func TestAnAnswerThatCannotBeReadDoesNotSayThatNothingWasWritten(t *testing.T) {
	t.Parallel()
	c := dynamotest.Open(t, roundTrip(func(request *http.Request) (*http.Response, error) {
		if isPut(request) {
			return answer(request, http.StatusOK, "<html>"), nil
		}
		return http.DefaultTransport.RoundTrip(request)
	}))
	if err := c.Apply(t.Context(), []ddb.Table{items}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	if err := c.Put(t.Context(), types.Put{TableName: c.Table("Items"), Item: item("a", "w")}); fault.ReasonOf(err) != "WRITE_OUTCOME_UNKNOWN" {
		t.Errorf("Put() = %v, want WRITE_OUTCOME_UNKNOWN", err)
	}
}
