package ddb_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
)

func plan(t *testing.T, c *ddb.Client, table ddb.Table) []string {
	t.Helper()
	steps, err := c.Plan(t.Context(), []ddb.Table{table})
	if err != nil {
		t.Fatalf("Plan() = %v, want no error", err)
	}
	var list []string
	for _, s := range steps {
		list = append(list, s.What)
	}
	return list
}

func TestATableGrowsIntoItsDescriptor(t *testing.T) {
	t.Parallel()
	c := dynamotest.Open(t, nil)
	if _, err := c.API().CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: c.Table("Items"), BillingMode: types.BillingModeProvisioned,
		ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(1), WriteCapacityUnits: aws.Int64(1)},
		AttributeDefinitions:  []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:             []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	}); err != nil {
		t.Fatalf("CreateTable() = %v, want no error", err)
	}
	table := ddb.Table{
		Name: "Items", Hash: ddb.Text("id"), TTL: "ttl",
		Indexes: []ddb.Index{{Name: "ByDay", Hash: ddb.Text("day"), Range: ddb.Number("at"), Include: []string{"kind"}}},
	}
	want := []string{"bill on demand", "protect against deletion", "add index ByDay", "turn on ttl on ttl"}
	if got := plan(t, c, table); !slices.Equal(got, want) {
		t.Errorf("Plan() = %q, want %q", got, want)
	}
	if err := c.Apply(t.Context(), []ddb.Table{table}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	if got := plan(t, c, table); len(got) != 0 {
		t.Errorf("Plan() after Apply() = %q, want nothing", got)
	}
	d, err := c.API().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: c.Table("Items")})
	if err != nil || !aws.ToBool(d.Table.DeletionProtectionEnabled) || len(d.Table.GlobalSecondaryIndexes) != 1 {
		t.Errorf("DescribeTable() = %+v, %v, want it protected and with one index", d, err)
	}
}

// TestAnIndexThatLacksWhatIsReadFromItIsRefused uses tables that were made for another descriptor, by hand or for another version.
func TestAnIndexThatLacksWhatIsReadFromItIsRefused(t *testing.T) {
	t.Parallel()
	c := dynamotest.Open(t, nil)
	table := func(sort ddb.Attribute, include ...string) ddb.Table {
		return ddb.Table{Name: "Items", Hash: ddb.Text("id"), Indexes: []ddb.Index{{Name: "ByDay", Hash: ddb.Text("day"), Range: sort, Include: include}}}
	}
	if err := c.Apply(t.Context(), []ddb.Table{table(ddb.Number("at"), "kind", "size")}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	for name, x := range map[string]struct {
		table ddb.Table
		want  string
	}{
		"the same":          {table(ddb.Number("at"), "kind", "size"), ""},
		"fewer attributes":  {table(ddb.Number("at"), "size"), ""},
		"one more":          {table(ddb.Number("at"), "kind", "size", "name"), "TABLE_DIFFERS"},
		"a key that is not": {table(ddb.Text("at"), "kind"), "TABLE_DIFFERS"},
	} {
		steps, err := c.Plan(t.Context(), []ddb.Table{x.table})
		if fault.ReasonOf(err) != x.want || len(steps) > 0 {
			t.Errorf("Plan() with %s = %d steps, %v, want %q", name, len(steps), err, x.want)
		}
	}
}

func TestATableWithOtherKeysIsRefused(t *testing.T) {
	t.Parallel()
	c := open(t, dynamotest.NewChaos(1))
	for name, table := range map[string]ddb.Table{
		"another partition key": {Name: "Items", Hash: ddb.Text("other")},
		"a sort key":            {Name: "Items", Hash: ddb.Text("id"), Range: ddb.Text("at")},
		"a key of another type": {Name: "Items", Hash: ddb.Number("id")},
	} {
		if _, err := c.Plan(t.Context(), []ddb.Table{table}); fault.ReasonOf(err) != "TABLE_DIFFERS" {
			t.Errorf("Plan() with %s = %v, want TABLE_DIFFERS", name, err)
		}
	}
}

// turning responds as AWS does for a table whose ttl is being turned on or off, which takes up to an hour.
type turning struct{ status string }

func (u *turning) RoundTrip(request *http.Request) (*http.Response, error) {
	if _, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), "."); operation == "DescribeTimeToLive" && u.status != "" {
		return answer(request, 200, `{"TimeToLiveDescription":{"AttributeName":"ttl","TimeToLiveStatus":"`+u.status+`"}}`), nil
	}
	return dynamotest.NewChaos(1).RoundTrip(request)
}

func TestATableHasOneTTL(t *testing.T) {
	t.Parallel()
	u := &turning{}
	c := dynamotest.Open(t, u)
	if err := c.Apply(t.Context(), []ddb.Table{items}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	for _, test := range []struct{ status, ttl, step, reason string }{
		{"", "ttl", "turn on ttl on ttl", ""},
		{"DISABLED", "ttl", "turn on ttl on ttl", ""},
		{"ENABLING", "ttl", "", ""},
		{"ENABLED", "ttl", "", ""},
		{"ENABLED", "", "", ""},
		{"ENABLED", "expires", "", "TABLE_DIFFERS"},
	} {
		u.status = test.status
		table := items
		table.TTL = test.ttl
		steps, err := c.Plan(t.Context(), []ddb.Table{table})
		got := ""
		if len(steps) == 1 {
			got = steps[0].What
		}
		if len(steps) > 1 || got != test.step || fault.ReasonOf(err) != test.reason {
			t.Errorf("Plan() for ttl %q where ttl is %s = %d steps, %q, %v, want %q, %q", test.ttl, test.status, len(steps), got, err, test.step, test.reason)
		}
	}
}

// TestConcurrentAppliesBothSucceed lets a second process apply the tables between the plan and the first step.
func TestConcurrentAppliesBothSucceed(t *testing.T) {
	t.Parallel()
	bare := ddb.Table{Name: "Items", Hash: ddb.Text("id")}
	whole := bare
	whole.TTL, whole.Indexes = "ttl", []ddb.Index{{Name: "ByDay", Hash: ddb.Text("day")}, {Name: "ByAge", Hash: ddb.Number("age")}}
	for name, before := range map[string][]ddb.Table{"nothing": nil, "a table without its ttl": {bare}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dynamotest.Open(t, nil)
			if err := c.Apply(t.Context(), before, nil); err != nil {
				t.Fatalf("Apply() = %v, want no error", err)
			}
			var other sync.Once
			err := c.Apply(t.Context(), []ddb.Table{whole}, func(ddb.Step) {
				other.Do(func() {
					if err := c.Apply(t.Context(), []ddb.Table{whole}, nil); err != nil {
						t.Errorf("Apply() of the other = %v, want no error", err)
					}
				})
			})
			if err != nil {
				t.Errorf("Apply() = %v, want no error", err)
			}
			if got := plan(t, c, whole); len(got) != 0 {
				t.Errorf("Plan() after Apply() = %q, want nothing", got)
			}
		})
	}
}

// creating responds as AWS does for a table that somebody else is creating.
type creating struct {
	next http.RoundTripper
	asks atomic.Int32 // number of DescribeTable calls
}

func (c *creating) RoundTrip(request *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	if operation == "DescribeTable" && c.asks.Add(1) <= 4 {
		return answer(request, 200, `{"Table":{"TableStatus":"CREATING"}}`), nil
	}
	return c.next.RoundTrip(request)
}

func TestATableThatAnotherCreatesIsWaitedFor(t *testing.T) {
	t.Parallel()
	slow := &creating{next: dynamotest.NewChaos(1)}
	slow.asks.Store(10)
	c := dynamotest.Open(t, slow)
	table := items
	if err := c.Apply(t.Context(), []ddb.Table{table}, nil); err != nil {
		t.Fatalf("Apply() of the other = %v, want no error", err)
	}
	slow.asks.Store(0)
	table.TTL = "ttl" // the other process has not turned it on yet
	want := []string{"wait until it can be used", "turn on ttl on ttl"}
	var got []string
	if err := c.Apply(t.Context(), []ddb.Table{table}, func(s ddb.Step) { got = append(got, s.What) }); err != nil || !slices.Equal(got, want) {
		t.Errorf("Apply() = %q, %v, want %q", got, err, want)
	}
}
