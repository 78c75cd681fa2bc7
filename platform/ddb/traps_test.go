package ddb_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
)

func TestMain(m *testing.M) { os.Exit(dynamotest.Main(m)) }

const trapCalls = 60

var items = ddb.Table{Name: "Items", Hash: ddb.Text("id")}

// open returns a client whose table Items exists.
func open(t *testing.T, chaos *dynamotest.Chaos) *ddb.Client {
	t.Helper()
	c := dynamotest.Open(t, chaos)
	if err := c.Apply(t.Context(), []ddb.Table{items}, nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	return c
}

func item(id, writer string) ddb.Item {
	return ddb.Item{"id": &types.AttributeValueMemberS{Value: id}, "last_req": &types.AttributeValueMemberS{Value: writer}}
}

// count reads the counter of an item.
func count(t *testing.T, c *ddb.Client, id string) int {
	t.Helper()
	got, err := c.BatchGet(t.Context(), "Items", []ddb.Item{{"id": &types.AttributeValueMemberS{Value: id}}})
	if err != nil || len(got) != 1 {
		t.Fatalf("BatchGet() = %d items, %v, want one", len(got), err)
	}
	n, _ := got[0]["n"].(*types.AttributeValueMemberN)
	total, err := strconv.Atoi(n.Value)
	if err != nil {
		t.Fatalf("counter = %q, want a number", n.Value)
	}
	return total
}

var addOne = map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}}

// Trap A: the SDK repeats an update whose response was lost, so an update that adds may add twice. That is why our stores never add
// outside of a transaction.
func TestAnAdditionWhoseAnswerIsLostCountsTwice(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(1)
	chaos.Lost = 0.2
	c := open(t, chaos)
	for range trapCalls {
		_, err := c.API().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: c.Table("Items"), Key: ddb.Item{"id": &types.AttributeValueMemberS{Value: "a"}},
			UpdateExpression: aws.String("ADD n :one"), ExpressionAttributeValues: addOne,
		})
		if err != nil {
			t.Fatalf("UpdateItem() = %v, want no error", err)
		}
	}
	if got, want := count(t, c, "a"), trapCalls+chaos.Count("lost"); got != want || chaos.Count("lost") == 0 {
		t.Errorf("counter = %d after %d lost answers, want %d", got, chaos.Count("lost"), want)
	}
}

// Trap B: a transaction has a token, so it is performed once. Trap D: the SDK does not repeat a transaction that conflicts with others.
func TestATransactionCountsOnceWhateverHappens(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(2)
	chaos.Lost, chaos.Conflict, chaos.Throttle = 0.2, 0.3, 0.1
	c := open(t, chaos)
	for range trapCalls {
		err := c.Transact(t.Context(), []types.TransactWriteItem{{Update: &types.Update{
			TableName: c.Table("Items"), Key: ddb.Item{"id": &types.AttributeValueMemberS{Value: "a"}},
			UpdateExpression: aws.String("ADD n :one"), ExpressionAttributeValues: addOne,
		}}})
		if err != nil {
			t.Fatalf("Transact() = %v, want no error", err)
		}
	}
	if got := count(t, c, "a"); got != trapCalls || chaos.Count("lost") == 0 || chaos.Count("conflict") == 0 {
		t.Errorf("counter = %d after %d lost answers and %d conflicts, want %d", got, chaos.Count("lost"), chaos.Count("conflict"), trapCalls)
	}
}

// Trap C: a write whose response was lost is refused when it is repeated, because the first attempt made its condition false. The
// item that is returned with the refusal says who wrote it.
func TestARefusalAfterALostAnswerShowsTheWriter(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(3)
	chaos.Lost = 0.3
	c := open(t, chaos)
	mine := 0
	for i := range trapCalls {
		writer := fmt.Sprintf("w%d", i)
		put := types.Put{TableName: c.Table("Items"), Item: item("a", writer), ConditionExpression: aws.String("attribute_not_exists(id)")}
		if i > 0 {
			put.ConditionExpression = aws.String("last_req = :was")
			put.ExpressionAttributeValues = map[string]types.AttributeValue{":was": &types.AttributeValueMemberS{Value: fmt.Sprintf("w%d", i-1)}}
		}
		err := c.Put(t.Context(), put)
		if refused, ok := errors.AsType[*ddb.RefusedError](err); ok {
			if !refused.Lost || ddb.TextOf(refused.Item, "last_req") != writer {
				t.Fatalf("Put(%d) = refused, lost %v, by %s, want lost and by itself", i, refused.Lost, ddb.TextOf(refused.Item, "last_req"))
			}
			mine++
		} else if err != nil {
			t.Fatalf("Put(%d) = %v, want no error", i, err)
		}
	}
	if mine == 0 {
		t.Errorf("no write was refused for its own sake, want some: the test shows nothing")
	}
}

func TestARefusalWithoutALostAnswerIsCertain(t *testing.T) {
	t.Parallel()
	c := open(t, dynamotest.NewChaos(4))
	put := types.Put{TableName: c.Table("Items"), Item: item("a", "1"), ConditionExpression: aws.String("attribute_not_exists(id)")}
	if err := c.Put(t.Context(), put); err != nil {
		t.Fatalf("Put() = %v, want no error", err)
	}
	put.Item = item("a", "2")
	refused, ok := errors.AsType[*ddb.RefusedError](c.Put(t.Context(), put))
	if !ok || refused.Lost || ddb.TextOf(refused.Item, "last_req") != "1" {
		t.Errorf("Put() = %+v, want refused because of 1 and nothing lost", refused)
	}
}

// Trap E: by default, the SDK does not retry a single write that conflicts with a transaction. Trap F: it gives up after three
// throttled attempts.
func TestThrottlesAndConflictsAreWaitedOut(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(5)
	chaos.Conflict, chaos.Throttle = 0.15, 0.05
	c := open(t, chaos)
	var group sync.WaitGroup
	for i := range trapCalls {
		group.Go(func() {
			put := types.Put{TableName: c.Table("Items"), Item: item(fmt.Sprintf("i%d", i), "w")}
			if err := c.Put(t.Context(), put); err != nil {
				t.Errorf("Put(%d) = %v, want no error", i, err)
			}
		})
	}
	group.Wait()
	if chaos.Count("conflict") == 0 || chaos.Count("throttle") == 0 {
		t.Errorf("no conflict or throttle, want some: the test shows nothing")
	}
}

func TestAWriteThatGetsNoAnswerIsSaidToBeUnknown(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(6)
	c := open(t, chaos)
	chaos.Match = func(operation string) bool { return operation == "PutItem" || operation == "TransactWriteItems" }
	chaos.Lost = 1
	put := types.Put{TableName: c.Table("Items"), Item: item("a", "w")}
	for name, err := range map[string]error{
		"Put":      c.Put(t.Context(), put),
		"Transact": c.Transact(t.Context(), []types.TransactWriteItem{{Put: &put}}),
	} {
		if fault.ReasonOf(err) != "WRITE_OUTCOME_UNKNOWN" {
			t.Errorf("%s() = %v, want WRITE_OUTCOME_UNKNOWN", name, err)
		}
	}
}

func TestFaultsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		disturb func(*dynamotest.Chaos)
		table   string
		want    string
	}{
		"a table that is not there": {func(*dynamotest.Chaos) {}, "Nothing", "TABLES_MISSING"},
		"throttled without an end":  {func(c *dynamotest.Chaos) { c.Throttle = 1 }, "Items", "STORE_BUSY"},
		"no answer at all":          {func(c *dynamotest.Chaos) { c.Down = 1 }, "Items", "STORE_UNREACHABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chaos := dynamotest.NewChaos(7)
			c := open(t, chaos)
			test.disturb(chaos)
			_, err := c.BatchGet(t.Context(), test.table, []ddb.Item{{"id": &types.AttributeValueMemberS{Value: "a"}}})
			if f := fault.From(err); fault.ReasonOf(err) != test.want || f.Kind != fault.Unavailable || !f.Ours {
				t.Errorf("BatchGet() = %+v, want Unavailable %s, for an operator to see to", f, test.want)
			}
		})
	}
}

func TestBatchesAreFinished(t *testing.T) {
	t.Parallel()
	chaos := dynamotest.NewChaos(8)
	chaos.Partial = 0.5
	c := open(t, chaos)
	const n = 230
	var requests []types.WriteRequest
	var keys []ddb.Item
	for i := range n {
		id := fmt.Sprintf("i%d", i)
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item(id, "w")}})
		keys = append(keys, ddb.Item{"id": &types.AttributeValueMemberS{Value: id}})
	}
	if err := c.BatchWrite(t.Context(), "Items", requests); err != nil {
		t.Fatalf("BatchWrite() = %v, want no error", err)
	}
	if got, err := c.BatchGet(t.Context(), "Items", keys); len(got) != n || err != nil {
		t.Errorf("BatchGet() = %d items, %v, want %d", len(got), err, n)
	}
	if chaos.Count("partial") == 0 {
		t.Error("Count(partial) = 0, want some: the test shows nothing")
	}
}
