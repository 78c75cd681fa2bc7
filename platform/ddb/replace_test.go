package ddb_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
)

// get returns the item with the counter, or nil.
func get(t *testing.T, c *ddb.Client) ddb.Item {
	t.Helper()
	found, err := c.BatchGet(t.Context(), "Items", []ddb.Item{{"id": &types.AttributeValueMemberS{Value: counted}}})
	if err != nil {
		t.Fatalf("BatchGet() = %v, want no error", err)
	}
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// counted is the key of the item with the counter.
const counted = "counted"

func counter(n int) ddb.Item {
	return ddb.Item{"id": &types.AttributeValueMemberS{Value: counted}, "n": &types.AttributeValueMemberN{Value: strconv.Itoa(n)}}
}

func TestReplaceWritesOnceForEachReading(t *testing.T) {
	t.Parallel()
	c := open(t, dynamotest.NewChaos(1))
	if err := c.Replace(t.Context(), "Items", nil, counter(1)); err != nil {
		t.Fatalf("Replace(nil) = %v, want no error", err)
	}
	old := get(t, c)
	for call, read := range map[string]ddb.Item{"Replace(nil) again": nil, "Replace(somebody's)": item(counted, "somebody")} {
		if err := c.Replace(t.Context(), "Items", read, counter(2)); !errors.Is(err, ddb.ErrMoved) {
			t.Errorf("%s = %v, want %v", call, err, ddb.ErrMoved)
		}
	}
	if err := c.Replace(t.Context(), "Items", old, counter(2)); err != nil {
		t.Errorf("Replace(old) = %v, want no error", err)
	}
	if err := c.Replace(t.Context(), "Items", old, counter(3)); !errors.Is(err, ddb.ErrMoved) {
		t.Errorf("Replace(old) again = %v, want %v", err, ddb.ErrMoved)
	}
	if n := count(t, c, counted); n != 2 {
		t.Errorf("counter = %d, want 2", n)
	}
}

// Traps A and C together: many writers increment one counter while responses are lost, and every success counts exactly once.
func TestReplaceCountsEachSuccessOnce(t *testing.T) {
	t.Parallel()
	const writers, each = 4, 15
	chaos := dynamotest.NewChaos(1)
	chaos.Lost, chaos.Throttle, chaos.Conflict = 0.3, 0.05, 0.05
	c := open(t, chaos)
	var group sync.WaitGroup
	var made, unknown atomic.Int64
	for range writers {
		group.Go(func() {
			for range each {
				if err := increment(t, c); err == nil {
					made.Add(1)
				} else {
					unknown.Add(1) // too many others were faster: the outcome is reported as unknown, and the write may have been done
				}
			}
		})
	}
	group.Wait()
	if n := int64(count(t, c, counted)); n < made.Load() || n > made.Load()+unknown.Load() {
		t.Errorf("counter = %d after %d successes and %d unknown outcomes, want all successes and nothing else", n, made.Load(), unknown.Load())
	}
	if chaos.Count("lost") == 0 {
		t.Error("Count(lost) = 0, want some: the test shows nothing")
	}
}

// TestAWriteThatMayHaveBeenMadeIsNotSaidToBeRefused loses all responses to the first attempts of a write, and then throttles it.
func TestAWriteThatMayHaveBeenMadeIsNotSaidToBeRefused(t *testing.T) {
	t.Parallel()
	const attempts = 8 // of one sending
	chaos, calls := dynamotest.NewChaos(1), 0
	chaos.Lost = 1
	chaos.Match = func(operation string) bool {
		if operation != "PutItem" {
			return false
		}
		if calls++; calls > attempts {
			chaos.Lost, chaos.Throttle = 0, 1
		}
		return true
	}
	c := open(t, chaos)
	err := c.Replace(t.Context(), "Items", nil, counter(1))
	if n := count(t, c, counted); n != 1 || chaos.Count("throttle") == 0 {
		t.Fatalf("counter = %d after %d throttled calls, want 1 and some", n, chaos.Count("throttle"))
	}
	if fault.ReasonOf(err) != "WRITE_OUTCOME_UNKNOWN" {
		t.Errorf("Replace() = %v, want WRITE_OUTCOME_UNKNOWN: it was made", err)
	}
}

// increment increments the counter, or returns the error of a write with an unknown outcome.
func increment(t *testing.T, c *ddb.Client) error {
	t.Helper()
	for try := 0; ; try++ {
		old, n := get(t, c), 0
		if old != nil {
			if number, ok := old["n"].(*types.AttributeValueMemberN); ok {
				n, _ = strconv.Atoi(number.Value)
			}
		}
		err := c.Replace(t.Context(), "Items", old, counter(n+1))
		switch {
		case err == nil || fault.ReasonOf(err) == "WRITE_OUTCOME_UNKNOWN":
			return err
		case !errors.Is(err, ddb.ErrMoved):
			t.Errorf("Replace() = %v, want no error but %v", err, ddb.ErrMoved)
			return err
		}
		if err := ddb.WaitContended(t.Context(), try); err != nil {
			t.Error(err)
			return err
		}
	}
}
