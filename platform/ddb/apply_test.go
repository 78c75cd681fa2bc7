package ddb_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
)

// scripted notes the operations, which come one after the other, and answers those that it has a say in: with an error code, with the status of a table, or with
// the JSON itself.
type scripted struct {
	seen []string
	say  func(operation string, count int) string // empty: DynamoDB answers
}

func (s *scripted) RoundTrip(request *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	s.seen = append(s.seen, operation)
	switch says := s.say(operation, s.count(operation)); {
	case says == "":
		return http.DefaultTransport.RoundTrip(request)
	case says[0] == '{':
		return answer(request, 200, says), nil
	case says == strings.ToUpper(says):
		return answer(request, 200, `{"Table":{"TableStatus":"`+says+`"}}`), nil
	default:
		return answer(request, 400, `{"__type":"com.amazonaws.dynamodb.v20120810#`+says+`","message":"no"}`), nil
	}
}

func (s *scripted) count(operation string) (n int) {
	for _, o := range s.seen {
		if o == operation {
			n++
		}
	}
	return n
}

func TestApplyTellsWhatItCannotDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		operation, code string
		from, to        int // which calls are refused
		want            string
		tries           int
	}{
		"a look":                        {"DescribeTable", "AccessDeniedException", 1, 99, "STORE_DENIED", 1},
		"a look at what it has created": {"DescribeTable", "AccessDeniedException", 2, 99, "STORE_DENIED", 2},
		"what is not permitted":         {"CreateTable", "AccessDeniedException", 1, 99, "STORE_DENIED", 1},
		"the ttl":                       {"UpdateTimeToLive", "AccessDeniedException", 1, 99, "STORE_DENIED", 1},
		"what is wrong":                 {"UpdateTimeToLive", "ValidationException", 1, 99, "INTERNAL", 2},
		"what another is doing":         {"UpdateTimeToLive", "ResourceInUseException", 1, 1, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scripted{say: func(operation string, count int) string {
				if operation == test.operation && count >= test.from && count <= test.to {
					return test.code
				}
				return ""
			}}
			c := dynamotest.Open(t, s)
			err := c.Apply(t.Context(), []ddb.Table{{Name: "Items", Hash: ddb.Text("id"), TTL: "ttl"}}, nil)
			if got := fault.From(err); (err == nil) != (test.want == "") || err != nil && got.Reason != test.want || s.count(test.operation) != test.tries {
				t.Errorf("Apply() = %v after %d tries, want %q after %d", err, s.count(test.operation), test.want, test.tries)
			}
		})
	}
}

func TestApplyTellsWhatItCannotChange(t *testing.T) {
	t.Parallel()
	s := &scripted{say: func(operation string, _ int) string {
		if operation == "UpdateTable" {
			return "AccessDeniedException"
		}
		return ""
	}}
	c, table := dynamotest.Open(t, s), items
	if err := c.Apply(t.Context(), []ddb.Table{table}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	table.Indexes = []ddb.Index{{Name: "ByDay", Hash: ddb.Text("day")}}
	if err := c.Apply(t.Context(), []ddb.Table{table}, nil); fault.ReasonOf(err) != "STORE_DENIED" || s.count("UpdateTable") != 1 {
		t.Errorf("Apply() of one more index = %v after %d tries, want STORE_DENIED after one", err, s.count("UpdateTable"))
	}
}

func TestApplyEndsThoughOthersKeepChangingTheTables(t *testing.T) {
	t.Parallel()
	s := &scripted{say: func(_ string, count int) string { return []string{"ACTIVE", "UPDATING"}[count%2] }} // it is ready each time that it was waited for
	err := dynamotest.Open(t, s).Apply(t.Context(), []ddb.Table{items}, nil)
	if fault.ReasonOf(err) != "TABLES_CHANGING" {
		t.Errorf("Apply() = %v, want TABLES_CHANGING", err)
	}
}

func TestANewTableIsUsedWhenItIsReady(t *testing.T) {
	t.Parallel()
	s := &scripted{say: func(operation string, count int) string {
		if operation == "DescribeTable" && (count == 2 || count == 3) { // the first one finds none
			return "CREATING"
		}
		return ""
	}}
	if err := dynamotest.Open(t, s).Apply(t.Context(), []ddb.Table{{Name: "Items", Hash: ddb.Text("id"), TTL: "ttl"}}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	want := []string{"DescribeTable", "CreateTable", "DescribeTable", "DescribeTable", "DescribeTable", "UpdateTimeToLive"}
	if !slices.Equal(s.seen, want) {
		t.Errorf("Apply() calls %q, want %q", s.seen, want)
	}
}

func TestANewIndexIsUsedWhenItIsReady(t *testing.T) {
	t.Parallel()
	updated := 0
	s := &scripted{}
	s.say = func(operation string, _ int) string {
		if operation != "DescribeTable" || s.count("UpdateTable") == 0 {
			return ""
		}
		updated++
		return map[int]string{1: "UPDATING", 2: `{"Table":{"TableStatus":"ACTIVE","GlobalSecondaryIndexes":[{"IndexStatus":"CREATING"}]}}`}[updated]
	}
	c, table := dynamotest.Open(t, s), items
	if err := c.Apply(t.Context(), []ddb.Table{table}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	table.Indexes = []ddb.Index{{Name: "ByDay", Hash: ddb.Text("day")}}
	if err := c.Apply(t.Context(), []ddb.Table{table}, nil); err != nil || updated != 3 {
		t.Errorf("Apply() of one more index = %v after %d looks at it, want no error after three, of which the last one finds it ready", err, updated)
	}
}

func TestApplyGoesOnThoughOthersWereFasterTwice(t *testing.T) {
	t.Parallel()
	s := &scripted{say: func(operation string, count int) string {
		if count == 1 && (operation == "UpdateTable" || operation == "UpdateTimeToLive") {
			return "ResourceInUseException"
		}
		return ""
	}}
	c, table := dynamotest.Open(t, s), items
	if err := c.Apply(t.Context(), []ddb.Table{table}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	table.Indexes, table.TTL = []ddb.Index{{Name: "ByDay", Hash: ddb.Text("day")}}, "ttl"
	if err := c.Apply(t.Context(), []ddb.Table{table}, nil); err != nil {
		t.Errorf("Apply() while others change two things = %v, want no error", err)
	}
}

// Adding an index to a large table takes half an hour, in which the table is looked at some thousand times.
func TestATableIsWaitedForHoweverLongItTakes(t *testing.T) {
	t.Parallel()
	const looks = 1000
	synctest.Test(t, func(t *testing.T) {
		begun, seen := time.Now(), 0
		c, err := ddb.Open(t.Context(), ddb.Config{Endpoint: "http://127.0.0.1:8000", Transport: roundTrip(func(request *http.Request) (*http.Response, error) {
			if seen++; seen <= looks {
				return answer(request, http.StatusOK, `{"Table":{"TableStatus":"CREATING"}}`), nil
			}
			return answer(request, http.StatusOK, `{"Table":{"TableStatus":"ACTIVE"}}`), nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Apply(t.Context(), []ddb.Table{items}, nil) // the table that is there in the end has no keys
		if took := time.Since(begun); fault.ReasonOf(err) != "TABLE_DIFFERS" || seen < looks || took > looks*2*time.Second {
			t.Errorf("Apply() = %v after %d looks in %s, want TABLE_DIFFERS after more than %d, about one each second", err, seen, took, looks)
		}
	})
}
